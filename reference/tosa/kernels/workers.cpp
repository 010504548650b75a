#include "reference/tosa/kernels/workers.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <macaw/threads.hpp>

namespace macaw::tosa {

namespace {
// A waiting thread first polls this number of times, about ten nanoseconds each, then for this time while it yields its
// core, and then sleeps. Almost all operators that are not shared take less. Waking a thread costs the caller 15
// microseconds, and the thread starts 20 microseconds later.
constexpr int kLooks = 1000;
constexpr std::chrono::milliseconds kAwake{1};

/// The system reads a file each time it is asked.
std::size_t cores() {
  static const auto count = static_cast<std::size_t>(machine_threads());
  return count;
}
}  // namespace

Workers::Workers(int threads, bool share_all)
    : threads_(kHasThreads ? static_cast<std::size_t>(std::clamp<std::int64_t>(
                                 threads > 0 ? threads : static_cast<std::int64_t>(cores()), 1, kMaxThreads))
                           : 1),
      share_all_(share_all),
      looks_first_(threads_ <= cores()),
      shares_(threads_) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  opened_.notify_all();
  for (auto& thread : started_) thread.join();
}

void Workers::start() {
  started_.reserve(threads_ - 1);
  try {
    while (started_.size() + 1 < threads_)
      started_.emplace_back([this, thread = started_.size() + 1] { work(thread); });
  } catch (const std::system_error&) {
    threads_ = started_.size() + 1;  // the system allows no more
  }
}

void Workers::take_parts(std::size_t thread) {
  try {
    for (std::size_t k = 0; k < threads_; ++k) {
      auto& share = shares_[(thread + k) % threads_];
      for (std::size_t i; (i = share.next.fetch_add(1)) < share.end;) (*part_)(i);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    for (auto& share : shares_) share.next = share.end;
  }
}

/// A thread that makes the condition true reads `sleepers` afterwards; a thread that is about to sleep counts itself
/// before it tests the condition. So at least one of the two notices the other.
template <class Condition>
void Workers::wait(std::condition_variable& condition, std::atomic<std::size_t>& sleepers, Condition holds) {
  if (looks_first_) {
    for (int i = 0; i < kLooks; ++i) {
      if (holds()) return;
      hwy::Pause();
    }
    const auto end = std::chrono::steady_clock::now() + kAwake;
    do {
      if (holds()) return;
      std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
  }
  std::unique_lock lock(mutex_);
  ++sleepers;
  condition.wait(lock, holds);
  --sleepers;
}

void Workers::work(std::size_t thread) {
  for (std::uint64_t last = 0;;) {
    std::uint64_t job = 0;
    wait(opened_, sleeping_, [&] { return stop_ || ((job = open_) != 0 && job != last); });
    if (stop_) return;
    ++inside_;
    if (open_ == job) take_parts(thread);
    last = job;
    if (--inside_ == 0 && caller_sleeps_ > 0) {
      const std::lock_guard lock(mutex_);
      left_.notify_all();
    }
  }
}

void Workers::run(std::size_t parts, const std::function<void(std::size_t)>& part) {
  if (started_.empty() && threads_ > 1) start();
  part_ = &part;
  for (std::size_t i = 0; i < threads_; ++i) {
    shares_[i].next = i * parts / threads_;
    shares_[i].end = (i + 1) * parts / threads_;
  }
  open_ = ++jobs_;
  if (sleeping_ > 0) {
    const std::lock_guard lock(mutex_);
    opened_.notify_all();
  }
  take_parts(0);
  open_ = 0;
  wait(left_, caller_sleeps_, [this] { return inside_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void split(const Call& call, std::size_t count, std::size_t least, FunctionRef<void(std::size_t, std::size_t)> f) {
  // There are more ranges than threads, in case the system suspends some threads.
  constexpr std::size_t kRangesPerThread = 4;
  const auto threads = call.workers ? call.workers->threads() : 1;
  if (call.workers && call.workers->shares_all()) least = 1;
  const auto fitting = count / std::max<std::size_t>(least, 1);
  if (threads == 1 || fitting < 2) return f(0, count);
  const auto parts = std::min(fitting, threads * kRangesPerThread);
  const auto size = count / parts, rest = count % parts;
  call.workers->run(parts, [&](std::size_t i) {
    const auto first = i * size + std::min(i, rest);
    f(first, first + size + (i < rest ? 1 : 0));
  });
}

}  // namespace macaw::tosa
