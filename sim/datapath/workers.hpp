#pragma once
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace macaw::npu {

/// Threads that share the rows of an operation with their caller. One caller at a time.
class Workers {
 public:
  static constexpr int kMaxThreads = 256;

  /// `threads` includes the caller; 0: one per hardware thread.
  explicit Workers(int threads);
  /// A pool that runs no work: rows are validated, not computed.
  [[nodiscard]] static Workers& check_only();
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] int requested() const { return requested_; }
  [[nodiscard]] int threads() const { return static_cast<int>(started_.size()) + 1; }

  /// Calls part(0) to part(parts - 1), once each, in any order and concurrently. If calls throw, rethrows one of the
  /// exceptions when all calls that have started are done.
  void run(int parts, const std::function<void(int)>& part);

 private:
  void work();
  void take_parts(std::unique_lock<std::mutex>& lock);

  int requested_;
  std::vector<std::thread> started_;
  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  const std::function<void(int)>* part_ = nullptr;
  int next_ = 0, parts_ = 0, running_ = 0;
  std::exception_ptr failure_;
  bool stop_ = false;
};

/// Calls fn(first, end) for ranges that together are [0, count), concurrently if there are workers: fn must write
/// separate data for each row, independent of where ranges begin.
template <class Fn>
void share(Workers* workers, int count, Fn&& fn) {
  // More ranges than threads, to balance threads that the system delays.
  constexpr int kRangesPerThread = 4;
  if (workers == &Workers::check_only()) return;
  if (!workers || workers->threads() == 1 || count < 2) return fn(0, count);
  const int parts = std::min(count, workers->threads() * kRangesPerThread);
  const int size = count / parts, rest = count % parts;
  workers->run(parts, [&](int i) {
    const int first = i * size + std::min(i, rest);
    fn(first, first + size + (i < rest ? 1 : 0));
  });
}

}  // namespace macaw::npu
