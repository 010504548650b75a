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

  /// `threads` counts the caller; 0: as many as the machine has.
  explicit Workers(int threads);
  /// A pool that runs no work: rows are validated, not computed.
  [[nodiscard]] static Workers& nobody();
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] int requested() const { return requested_; }
  [[nodiscard]] int threads() const { return static_cast<int>(started_.size()) + 1; }

  /// Calls part(0) to part(parts - 1), each once, in any order and at the same time. If some throw, one of the
  /// exceptions comes back when all that had started are done.
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

/// Calls fn(first, end) for ranges that together are [0, count), at the same time if there are workers: what fn writes
/// for a row is not shared with another row, and does not depend on where ranges begin.
template <class Fn>
void share(Workers* workers, int count, Fn&& fn) {
  // More ranges than threads, for those that the system holds up.
  constexpr int kRangesPerThread = 4;
  if (workers == &Workers::nobody()) return;
  if (!workers || workers->threads() == 1 || count < 2) return fn(0, count);
  const int parts = std::min(count, workers->threads() * kRangesPerThread);
  const int size = count / parts, rest = count % parts;
  workers->run(parts, [&](int i) {
    const int first = i * size + std::min(i, rest);
    fn(first, first + size + (i < rest ? 1 : 0));
  });
}

}  // namespace macaw::npu
