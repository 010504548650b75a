#include "sim/sc/context.hpp"

#include <fmt/format.h>

#include <algorithm>

// The library refers to sc_main even where the program has a main of its own.
int sc_main(int, char**) { return 0; }

namespace macaw::npu::sc {
namespace {

constexpr Ticks kSlice = 100'000 * kCycle;  // from one call of `between` to the next

std::mutex& simulation_mutex() {
  static std::mutex mutex;
  return mutex;
}

// Ends every process below `objects` but the caller, so that what its stack holds is destroyed.
void kill_processes(const std::vector<sc_core::sc_object*>& objects) {
  for (sc_core::sc_object* object : objects) {
    sc_core::sc_process_handle process(object);
    if (process.valid() && !process.terminated() && process != sc_core::sc_get_current_process_handle()) process.kill();
    kill_processes(object->get_child_objects());
  }
}

}  // namespace

/// Processes can be ended from within the simulation only.
class Context::Reaper : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Reaper);
  explicit Reaper(const sc_core::sc_module_name& name) : sc_core::sc_module(name) { SC_THREAD(reap); }
  sc_core::sc_event end;

 private:
  void reap() {
    sc_core::wait(end);
    kill_processes(sc_core::sc_get_top_level_objects());
  }
};

Context::Context()
    : lock_(simulation_mutex()),
      previous_current_(sc_core::sc_curr_simcontext),
      previous_default_(sc_core::sc_default_global_context) {
  own_ = std::make_unique<sc_core::sc_simcontext>();
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = own_.get();
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  reaper_ = std::make_unique<Reaper>("reaper");
}

Context::~Context() {
  reaper_.reset();
  own_.reset();
  sc_core::sc_curr_simcontext = previous_current_;
  sc_core::sc_default_global_context = previous_default_;
}

Result<Context::Ended> Context::run(Ticks limit, const std::function<Result<void>()>& between) {
  try {
    Result<void> going;
    // A start that reaches no event leaves the time where it is.
    const auto next = []() -> Ticks { return now() + ticks(sc_core::sc_time_to_pending_activity()); };
    do {
      const Ticks until = between ? std::min(limit, std::min(next(), limit) + kSlice) : limit;
      sc_core::sc_start(to_time(until - now()), sc_core::SC_EXIT_ON_STARVATION);
      if (between) going = between();
    } while (between && going && sc_core::sc_pending_activity() && next() < limit);
    // The kernel does not move the time to a limit before which nothing happens.
    const Ended ended{now(), !sc_core::sc_pending_activity()};
    reaper_->end.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (!going) return tl::unexpected<Error>(going.error());
    return ended;
  } catch (const sc_core::sc_report& report) {
    return fail(ErrorCode::kUnsupported, fmt::format("SystemC kernel: {}", report.what()));
  }
}

}  // namespace macaw::npu::sc
