#pragma once
#include <macaw/error.hpp>

#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// Whether the application is given an ExecuTorch program by semihosting's command line, as executor_runner takes it:
/// "executor_runner -m program.pte -i input.bin [-i ...] -o out" (pytorch/executorch,
/// examples/arm/executor_runner/arm_executor_runner.cpp).
[[nodiscard]] bool is_executor(const Application& application);

/// Runs that program itself, in place of the application and without a CPU: each output goes to "out-<number>.bin", as
/// the bytes in memory. kUsage, kUnsupported: what the command line says, or what only a platform with a CPU has.
[[nodiscard]] RunResult run_executor(const Application& application);

}  // namespace macaw::app::fvp
