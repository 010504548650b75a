#pragma once
#include <CLI/CLI.hpp>

namespace macaw::app {

/// Exit codes of the program (docs/CLI.md).
enum Exit : int { kOk = 0, kMismatch = 1, kUsage = 2, kInvalid = 3, kUnpredictable = 4, kFault = 5, kInternal = 70 };

/// A subcommand adds itself to `app`; its callback sets `exit_code`.
using AddSubcommand = void (*)(CLI::App& app, int& exit_code);

}  // namespace macaw::app
