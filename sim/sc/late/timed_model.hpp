#pragma once
#include "sim/sc/device/device_simulation.hpp"

#include <macaw/npu/report.hpp>

namespace macaw::npu::sc {

/// What a program calls of the timed model when it leaves that, and SystemC with it, to a library that the first call
/// loads: starting with SystemC takes several times as long as all else before main().
struct TimedModel {
  const char* build;  ///< macaw_build of the library
  decltype(&run_timed) run;
  Result<std::unique_ptr<DeviceSimulation>> (*create)(const Accelerator&, const std::string&, SystemMemory&);
};

}  // namespace macaw::npu::sc

extern "C" {
/// What --version says; written by the build.
extern const char* const macaw_build;
/// The library has it under this name.
extern const macaw::npu::sc::TimedModel macaw_timed_model;
}
