#include "sim/sc/context.hpp"

#include <fmt/format.h>

// The library refers to sc_main even where the program has a main of its own.
int sc_main(int, char**) { return 0; }

namespace macaw::npu::sc {
namespace {

std::mutex& simulation_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

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
}

Context::~Context() {
  own_.reset();
  sc_core::sc_curr_simcontext = previous_current_;
  sc_core::sc_default_global_context = previous_default_;
}

Result<Ticks> Context::run(Ticks limit) {
  try {
    sc_core::sc_start(to_time(limit), sc_core::SC_EXIT_ON_STARVATION);
    return now();
  } catch (const sc_core::sc_report& report) {
    return fail(ErrorCode::kUnsupported, fmt::format("SystemC kernel: {}", report.what()));
  }
}

}  // namespace macaw::npu::sc
