#include "sim/datapath/workers.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <macaw/threads.hpp>

namespace macaw::npu {

Workers::Workers(int threads) : requested_(threads) {
  if (threads <= 0) threads = machine_threads();
  if (!kHasThreads) return;
  try {
    for (int i = 1; i < std::min(threads, kMaxThreads); ++i) started_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // The system cannot create more threads: the existing ones do the work.
  }
}

Workers& Workers::check_only() {
  static Workers workers(1);
  return workers;
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& thread : started_) thread.join();
}

void Workers::run(int parts, const std::function<void(int)>& part) {
  std::unique_lock lock(mutex_);
  part_ = &part;
  next_ = 0;
  parts_ = parts;
  wake_.notify_all();
  take_parts(lock);
  idle_.wait(lock, [&] { return running_ == 0; });
  part_ = nullptr;
  parts_ = next_ = 0;
  if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(std::move(failure));
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || next_ < parts_; });
    if (stop_) return;
    take_parts(lock);
  }
}

void Workers::take_parts(std::unique_lock<std::mutex>& lock) {
  while (next_ < parts_) {
    const int mine = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*part_)(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = std::move(failure);
      next_ = parts_;
    }
    if (--running_ == 0 && next_ >= parts_) idle_.notify_all();
  }
}

}  // namespace macaw::npu
