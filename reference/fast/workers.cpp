#include "reference/fast/workers.hpp"

#include <algorithm>
#include <system_error>

namespace macaw::tosa {

Workers::Workers(int threads, bool share_all)
    : threads_(static_cast<std::size_t>(std::clamp<std::int64_t>(
          threads > 0 ? threads : static_cast<std::int64_t>(std::thread::hardware_concurrency()), 1, kMaxThreads))),
      share_all_(share_all) {}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& thread : started_) thread.join();
}

void Workers::start() {
  started_.reserve(threads_ - 1);
  try {
    while (started_.size() + 1 < threads_) started_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    threads_ = started_.size() + 1;  // the system allows no more
  }
}

void Workers::take_parts(std::unique_lock<std::mutex>& lock) {
  ++running_;
  while (next_ < parts_) {
    const auto i = next_++;
    const auto& part = *part_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      part(i);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      next_ = parts_;
    }
  }
  if (--running_ == 0) idle_.notify_all();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || next_ < parts_; });
    if (stop_) return;
    take_parts(lock);
  }
}

void Workers::run(std::size_t parts, const std::function<void(std::size_t)>& part) {
  if (started_.empty() && threads_ > 1) start();
  std::unique_lock lock(mutex_);
  part_ = &part;
  parts_ = parts;
  next_ = 0;
  failure_ = nullptr;
  wake_.notify_all();
  take_parts(lock);
  idle_.wait(lock, [this] { return running_ == 0; });
  parts_ = next_ = 0;
  part_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void split(const Call& call, std::size_t count, std::size_t least, FunctionRef<void(std::size_t, std::size_t)> f) {
  // More ranges than threads, for those that the system holds up.
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
