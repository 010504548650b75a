#pragma once
#include <atomic>
#include <mutex>
#include <thread>

namespace macaw {

/// A mutex that its owner may lock again (BasicLockable). Unlike std::recursive_mutex it needs no recursive mutex of
/// the system: that of wasi-libc returns an error for the second lock.
class RecursiveMutex {
 public:
  void lock() {
    const auto self = std::this_thread::get_id();
    if (owner_ != self) {
      mutex_.lock();
      owner_ = self;
    }
    ++depth_;
  }

  void unlock() {
    if (--depth_ > 0) return;
    owner_ = std::thread::id();
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{std::thread::id()};
  int depth_ = 0;  ///< number of locks of the owner
};

}  // namespace macaw
