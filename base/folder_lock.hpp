#pragma once
#include <filesystem>

namespace macaw::io {

/// Held while files of a folder get their names, or one of them is read to be changed. A process that waits for long
/// because the holder was stopped goes on without the lock, and so does one that cannot create it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  [[maybe_unused]] int descriptor_;  ///< of the locked file; a platform without processes does not lock
};

}  // namespace macaw::io
