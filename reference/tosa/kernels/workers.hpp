#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "reference/tosa/kernels/function_ref.hpp"
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Threads that share the work of an operator. They start with the first work there is.
class Workers {
 public:
  static constexpr int kMaxThreads = 256;

  /// 0: one thread for each core of the machine. `share_all`: work is shared even if it is small.
  explicit Workers(int threads, bool share_all = false);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Includes the caller's thread.
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] bool shares_all() const { return share_all_; }

  /// Calls part(0) to part(parts - 1), each once, in any order and concurrently. If some throw, rethrows one of the
  /// exceptions after all calls that had started have returned.
  void run(std::size_t parts, const std::function<void(std::size_t)>& part);

 private:
  /// The parts that a thread takes first. They are the same in all jobs with the same number of parts, so that a thread
  /// tends to read what it wrote itself and finds it in its cache.
  struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };

  void start();
  void work(std::size_t thread);
  void take_parts(std::size_t thread);
  template <class Condition>
  void wait(std::condition_variable& condition, std::atomic<std::size_t>& sleepers, Condition holds);

  std::size_t threads_;
  bool share_all_;
  bool looks_first_;  ///< a waiting thread polls for a while before it sleeps
  std::vector<std::thread> started_;
  // A job is not modified as long as it is open or a thread is inside it.
  const std::function<void(std::size_t)>* part_ = nullptr;
  std::vector<Share> shares_;
  std::atomic<std::uint64_t> open_ = 0;  ///< the number of the job that threads may enter, or 0
  std::atomic<std::size_t> inside_ = 0;  ///< started threads that take parts of it
  std::atomic<bool> stop_ = false;
  std::uint64_t jobs_ = 0;
  // For sleeping threads and failures.
  std::mutex mutex_;
  std::condition_variable opened_, left_;
  std::atomic<std::size_t> sleeping_ = 0, caller_sleeps_ = 0;
  std::exception_ptr failure_;
};

/// The least number of elements for which a further thread pays in operators that do little work on each element.
inline constexpr std::size_t kLeastElements = std::size_t{1} << 16;

/// Calls f(first, end) for ranges that together are [0, count). If the call has threads, ranges of at least `least`
/// elements are computed concurrently. f must not write an output that another range writes, and what it writes must
/// not depend on the bounds of the ranges, so that results are the same for any number of threads.
void split(const Call& call, std::size_t count, std::size_t least, FunctionRef<void(std::size_t, std::size_t)> f);

}  // namespace macaw::tosa
