#include "sim/timed/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#ifdef __wasm__
#include <sysc/kernel/sc_cor_qt.h>
#endif

// SystemC's library refers to sc_main even if the program has its own main; a definition in the program takes
// precedence.
[[gnu::weak]] int sc_main(int, char**) { return 0; }

namespace macaw::npu::timed {
namespace {

constexpr int kNoStack = 518;               // SystemC's number of "stack setup failed" (sysc/kernel/sc_kernel_ids.h)
constexpr Ticks kSlice = 100'000 * kCycle;  // between two calls of `between`

RecursiveMutex& kernel_mutex() {
  static RecursiveMutex mutex;
  return mutex;
}
/// While an instance exists, processes are running.
class Simulating {
 public:
  Simulating() { active_ = true; }
  ~Simulating() { active_ = false; }
  Simulating(const Simulating&) = delete;
  Simulating& operator=(const Simulating&) = delete;
  [[nodiscard]] static bool active() { return active_; }

 private:
  static inline bool active_ = false;  // guarded by kernel_mutex()
};

/// Runs the kernel. SystemC for WebAssembly switches its coroutines within a call of its package
/// (cmake/wasm/libraries).
void start_kernel(const sc_core::sc_time& span, sc_core::sc_starvation_policy policy) {
#ifdef __wasm__
  std::pair arguments{span, policy};
  sc_core::sc_cor_pkg_t::run(
      [](void* given) {
        const auto& [time, ends] = *static_cast<decltype(arguments)*>(given);
        sc_core::sc_start(time, ends);
      },
      &arguments);
#else
  sc_core::sc_start(span, policy);
#endif
}

/// Runs a part of a simulation in the entered context, started by a notification if one is given.
Result<void> start(Ticks span, sc_core::sc_starvation_policy policy, sc_core::sc_event* begin = nullptr) {
  if (Simulating::active())
    return fail(ErrorCode::kUsage, "a process of a simulation that runs cannot let time pass in a simulation");
  const Simulating mark;
  try {
    // The kernel rejects this if it had no memory to begin the simulation.
    if (begin) begin->notify();
    start_kernel(to_time(span), policy);
  } catch (const sc_core::sc_report& report) {
    // An exception of a process arrives as a report with its text.
    if (report.get_id() == kNoStack ||
        std::string_view(report.get_msg()).find(std::bad_alloc().what()) != std::string_view::npos)
      return fail(ErrorCode::kUnsupported, "not enough memory while time was simulated");
    return fail(ErrorCode::kUnsupported, fmt::format("SystemC kernel: {}", report.what()));
  }
  return {};
}

// Ends every process below `objects` except the caller, so that the objects on their stacks are destroyed.
void kill_processes(const std::vector<sc_core::sc_object*>& objects) {
  for (sc_core::sc_object* object : objects) {
    sc_core::sc_process_handle process(object);
    if (process.valid() && !process.terminated() && process != sc_core::sc_get_current_process_handle()) process.kill();
    kill_processes(object->get_child_objects());
  }
}

}  // namespace

/// Processes can only be ended from within the simulation.
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

Context::Entered::Entered(sc_core::sc_simcontext& context)
    : lock_(kernel_mutex()),
      previous_current_(sc_core::sc_curr_simcontext),
      previous_default_(sc_core::sc_default_global_context),
      previous_ahead_(std::exchange(run_ahead, {})) {
  sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = &context;
}

Context::Entered::~Entered() {
  sc_core::sc_curr_simcontext = previous_current_;
  sc_core::sc_default_global_context = previous_default_;
  run_ahead = previous_ahead_;
}

Result<void> Context::check_caller() {
  const std::unique_lock lock(kernel_mutex());  // without it, the current simulation could be that of another thread
  if (sc_core::sc_curr_simcontext == nullptr) return {};
  const auto kind = sc_core::sc_curr_simcontext->get_curr_proc_info()->kind;
  if (kind != sc_core::SC_THREAD_PROC_ && kind != sc_core::SC_CTHREAD_PROC_) return {};
  return fail(
      ErrorCode::kUsage,
      "called by a thread process (SC_THREAD) of a SystemC simulation; call it from an SC_METHOD or sc_main, or "
      "make the NPU a module of that simulation (macaw/sc/npu_device.hpp)");
}

Context::Context() {
  const std::unique_lock lock(kernel_mutex());
  own_ = std::make_unique<sc_core::sc_simcontext>();
  const Entered entered(*own_);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  reaper_ = std::make_unique<Reaper>("reaper");
}

Context::~Context() {
  const Entered entered(*own_);
  reaper_.reset();
  own_.reset();
}

void Context::pause() { sc_core::sc_pause(); }

Result<void> Context::end() {
  const Entered entered(*own_);
  return start(Ticks(), sc_core::SC_EXIT_ON_STARVATION, &reaper_->end);
}

Result<Ticks> Context::advance(Ticks span) {
  MACAW_CHECK(check_caller());
  const Entered entered(*own_);
  MACAW_CHECK(start(span, sc_core::SC_RUN_TO_TIME));
  return now();
}

Result<Context::Ended> Context::run(Ticks limit, const std::function<Result<void>()>& between, bool alone) {
  MACAW_CHECK(check_caller());
  const Entered entered(*own_);
  Result<void> going;
  Ticks next = kernel_time();
  do {
    const Ticks until = between ? std::min(limit, next + kSlice) : limit;
    if (alone) run_ahead.limit = until;
    MACAW_CHECK(start(until - kernel_time(), sc_core::SC_EXIT_ON_STARVATION));
    if (between) going = between();
    // If no event is reached, the kernel's time does not change.
    next = kernel_time() + ticks(sc_core::sc_time_to_pending_activity());
  } while (between && going && sc_core::sc_pending_activity() && next < limit);
  // The kernel does not advance the time to a limit if nothing happens before it.
  const Ended ended{now(), !sc_core::sc_pending_activity()};
  MACAW_CHECK(end());
  if (!going) return tl::unexpected<Error>(going.error());
  return ended;
}

}  // namespace macaw::npu::timed
