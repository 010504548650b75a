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

/// One SystemC simulation. SystemC operates on the simulation in a global pointer; each Context has its own, and sets
/// the pointer to it while it is entered. Contexts may therefore coexist, in any threads, and are serialised: only one
/// thread of a process has contexts entered at a time, and other threads wait until it has left them.
class Context {
 public:
  /// While it exists, SystemC operates on the context: modules are built and destroyed within. A thread may enter
  /// several contexts, of which the last one is active, and leaves them in the opposite order.
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
  /// The modules must have been destroyed before.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// kUsage in a thread process of a caller's simulation, where no other simulation can run: SystemC's coroutine
  /// package keeps one main stack for the whole program and would return to the wrong one.
  [[nodiscard]] static Result<void> check_caller();

  [[nodiscard]] Entered enter() { return Entered(*own_); }

  /// Time of the last event, and whether no event was left.
  struct Ended {
    Ticks at{};
    bool starved = false;
  };
  /// Elaborates and runs until no event is left or `limit` has passed, then ends all processes: it can be called once.
  /// A report of the kernel is returned as an error. `between`, if given, is called periodically; its error ends the
  /// run. kUsage: a process of a simulation, which would have to wait for itself, calls this, advance() or end(); or
  /// the error of check_caller(). `alone`: every process uses now() and the wait functions declared beside it, so that
  /// processes may run ahead of the kernel's time.
  [[nodiscard]] Result<Ended> run(Ticks limit, const std::function<Result<void>()>& between = {}, bool alone = false);

  /// Elaborates on the first call, and lets `span` pass, or less if a process calls pause(). Events due at the end of
  /// the span happen in the next call; a span of 0 processes what is due now, up to the next delta cycle. Returns the
  /// time.
  [[nodiscard]] Result<Ticks> advance(Ticks span);
  /// Called by a process: advance() returns after this delta cycle.
  static void pause();
  /// Ends all processes, so that the objects on their stacks are destroyed; the simulation cannot advance any more.
  /// Must be called before the modules are destroyed, unless run() was.
  [[nodiscard]] Result<void> end();

 private:
  class Reaper;

  std::unique_ptr<sc_core::sc_simcontext> own_;
  std::unique_ptr<Reaper> reaper_;
};

}  // namespace macaw::npu::timed
