#pragma once
#include <filesystem>

namespace macaw::sweep {

/// A lock on a file, which is made for it. Child processes hold it too, and what they start, until the last of them
/// has ended: a compiler may still write when the worker that started it was killed.
class FileLock {
 public:
  enum class Kind { kShared, kAlone };

  /// Waits for it. On a file system without locks there is none.
  FileLock(const std::filesystem::path& file, Kind kind);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Calls `work` while holding the lock, if no other process holds it.
  template <class Work>
  void if_alone(const Work& work) const {
    if (!take_alone()) return;
    work();
    share();
  }

 private:
  [[nodiscard]] bool take_alone() const;
  void share() const;

  int descriptor_;
};

}  // namespace macaw::sweep
