#pragma once
#include <macaw/error.hpp>

#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// Whether semihosting's command line passes an ExecuTorch program to the application, in the form of executor_runner:
/// "executor_runner -m program.pte -i input.bin [-i ...] -o out [--server_mode true]" (pytorch/executorch,
/// examples/arm/executor_runner/arm_executor_runner.cpp).
[[nodiscard]] bool is_executor(const Application& application);

/// Runs that program directly, in place of the application and without a CPU: each output is written to
/// "out-<number>.bin", as the bytes in memory. In server mode it waits for a line on standard input before each run,
/// reads the inputs again, keeps the program's state, writes the outputs again and prints "SERVER_INFERENCE_DONE <run,
/// from 1>", until the input ends. Errors: kUsage for the command line; kUnsupported for options that require a
/// platform with a CPU.
[[nodiscard]] RunResult run_executor(const Application& application);

}  // namespace macaw::app::fvp
