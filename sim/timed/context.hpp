#pragma once
#include <macaw/error.hpp>

#include "sim/timed/recursive_mutex.hpp"
#include "sim/timed/ticks.hpp"

#include <functional>
#include <memory>
#include <mutex>

namespace sc_core {
class sc_simcontext;
}

namespace macaw::npu::timed {

/// One SystemC simulation. SystemC works on a simulation that a global pointer names; each Context has its own, and
/// makes it that one while it is entered. So contexts may live side by side, in any threads, and take turns: within a
/// process one is entered at a time by one thread, and others wait until that has left.
class Context {
 public:
  /// While it lives, SystemC works on the context: modules are built and destroyed within. A thread may enter several
  /// contexts, the last one counts; it leaves them in the opposite order.
  class Entered {
   public:
    explicit Entered(sc_core::sc_simcontext& context);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    std::unique_lock<RecursiveMutex> lock_;
    sc_core::sc_simcontext* previous_current_;
    sc_core::sc_simcontext* previous_default_;
    RunAhead previous_ahead_;
  };

  Context();
  /// The modules have been destroyed before.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// kUsage in a thread process of a simulation of the caller's, where no other simulation can run: SystemC's coroutine
  /// package keeps one main stack for the whole program and would return to the wrong one.
  [[nodiscard]] static Result<void> check_caller();

  [[nodiscard]] Entered enter() { return Entered(*own_); }

  /// When the last event was, and whether none was left.
  struct Ended {
    Ticks at{};
    bool starved = false;
  };
  /// Elaborates and runs until no event is left or `limit` has passed, then ends all processes: it can be called once.
  /// A report of the kernel is an error value. `between`, if given, is called now and then; its error ends the run.
  /// kUsage: a process of a simulation, which would have to wait for itself, calls this, advance() or end(); or that of
  /// check_caller().
  /// `alone`: every process takes the time from now() and waits by what stands beside it, so that they may run ahead of
  /// the kernel's time.
  [[nodiscard]] Result<Ended> run(Ticks limit, const std::function<Result<void>()>& between = {}, bool alone = false);

  /// Elaborates when it is called first, and lets `span` pass, or less if a process calls pause(). What is due at the
  /// end of the span happens in the next call; a span of 0 is what is due now, up to the next delta cycle. Returns the
  /// time.
  [[nodiscard]] Result<Ticks> advance(Ticks span);
  /// Called by a process: advance() returns after this delta cycle.
  static void pause();
  /// Ends all processes, so that what their stacks hold is destroyed; nothing advances any more. To be called before
  /// the modules are destroyed, unless run() was.
  [[nodiscard]] Result<void> end();

 private:
  class Reaper;

  std::unique_ptr<sc_core::sc_simcontext> own_;
  std::unique_ptr<Reaper> reaper_;
};

}  // namespace macaw::npu::timed
