#pragma once
#include <macaw/error.hpp>

#include "sim/sc/ticks.hpp"

#include <functional>
#include <memory>
#include <mutex>

namespace sc_core {
class sc_simcontext;
}

namespace macaw::npu::sc {

/// One SystemC simulation. SystemC keeps its state in a global context that can be elaborated once; each Context puts
/// a fresh one in its place and removes it at the end. Construct it before the first module and destroy it after the
/// last. A second Context in another thread waits for the first to end: simulations that shall run in parallel need
/// processes of their own.
class Context {
 public:
  Context();
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// When the last event was, and whether none was left.
  struct Ended {
    Ticks at;
    bool starved = false;
  };
  /// Elaborates and runs until no event is left or `limit` has passed, then ends all processes: it can be called once.
  /// A report of the kernel is an error value. `between`, if given, is called now and then; its error ends the run.
  [[nodiscard]] Result<Ended> run(Ticks limit, const std::function<Result<void>()>& between = {});

 private:
  class Reaper;

  std::unique_lock<std::mutex> lock_;
  std::unique_ptr<sc_core::sc_simcontext> own_;
  sc_core::sc_simcontext* previous_current_;
  sc_core::sc_simcontext* previous_default_;
  std::unique_ptr<Reaper> reaper_;
};

}  // namespace macaw::npu::sc
