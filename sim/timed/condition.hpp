#pragma once
#include "sim/timed/ticks.hpp"

#include <systemc>
#include <utility>

namespace macaw::npu::timed {

/// An event that processes wait for in a loop, until their condition holds. Usually no process is waiting, and
/// notifying then costs the kernel nothing.
class Condition {
 public:
  /// Suspends the calling process until notify() is called.
  void wait() {
    waited_for_ = true;
    sc_core::wait(event_);
  }
  /// Wakes waiting processes in the current delta cycle.
  void notify() {
    if (std::exchange(waited_for_, false)) event_.notify();
  }
  /// Wakes waiting processes at `t`, which must not have passed.
  void notify_at(Ticks t) {
    if (std::exchange(waited_for_, false)) event_.notify(delay_until(t));
  }

 private:
  bool waited_for_ = false;
  sc_core::sc_event event_;
};

}  // namespace macaw::npu::timed
