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

  /// 0: as many as the machine has. `share_all`: however little the work is.
  explicit Workers(int threads, bool share_all = false);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// The caller's own counts.
  [[nodiscard]] std::size_t threads() const { return threads_; }
  [[nodiscard]] bool shares_all() const { return share_all_; }

  /// Calls part(0) to part(parts - 1), each once, in any order and at the same time. If some throw, one of the
  /// exceptions comes back when all that had started are done.
  void run(std::size_t parts, const std::function<void(std::size_t)>& part);

 private:
  /// The parts that a thread takes first, which are the same of jobs of as many parts: what an operator wrote lies in
  /// the cache of the thread that reads it.
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
  bool looks_first_;  ///< a thread that waits looks for a while before it sleeps
  std::vector<std::thread> started_;
  // A job is not modified as long as it is open or a thread is inside it.
  const std::function<void(std::size_t)>* part_ = nullptr;
  std::vector<Share> shares_;
  std::atomic<std::uint64_t> open_ = 0;  ///< the number of the job that threads may enter, or 0
  std::atomic<std::size_t> inside_ = 0;  ///< started threads that take parts of it
  std::atomic<bool> stop_ = false;
  std::uint64_t jobs_ = 0;
  // For those that sleep, and for failures.
  std::mutex mutex_;
  std::condition_variable opened_, left_;
  std::atomic<std::size_t> sleeping_ = 0, caller_sleeps_ = 0;
  std::exception_ptr failure_;
};

/// Elements of operators that do little with each that are worth a thread's while.
inline constexpr std::size_t kLeastElements = std::size_t{1} << 16;

/// Calls f(first, end) for ranges that together are [0, count). If the call has threads, ranges of at least `least` are
/// computed at the same time: f writes no output that another range writes too, and nothing that it writes depends on
/// where ranges begin, so that the number of threads does not show.
void split(const Call& call, std::size_t count, std::size_t least, FunctionRef<void(std::size_t, std::size_t)> f);

}  // namespace macaw::tosa
