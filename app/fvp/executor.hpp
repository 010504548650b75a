#pragma once
#include <macaw/error.hpp>

#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// Whether the application is given an ExecuTorch program by semihosting's command line, as executor_runner takes it:
/// "executor_runner -m program.pte -i input.bin [-i ...] -o out [--server_mode true]" (pytorch/executorch,
/// examples/arm/executor_runner/arm_executor_runner.cpp).
[[nodiscard]] bool is_executor(const Application& application);

/// Runs that program itself, in place of the application and without a CPU: each output goes to "out-<number>.bin", as
/// the bytes in memory. As a server it waits for a line on standard input before each run, reads the inputs again,
/// keeps the program's state, writes the outputs again and prints "SERVER_INFERENCE_DONE <run, from 1>"; it ends with
/// the input. kUsage, kUnsupported: what the command line says, or what only a platform with a CPU has.
[[nodiscard]] RunResult run_executor(const Application& application);

}  // namespace macaw::app::fvp
