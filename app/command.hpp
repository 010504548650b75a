#pragma once
#include <macaw/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "app/options.hpp"
#include "base/text.hpp"

namespace macaw::app {

/// Exit codes of the program (docs/CLI.md).
enum Exit : int { kOk = 0, kMismatch = 1, kUsage = 2, kInvalid = 3, kUnpredictable = 4, kFault = 5, kInternal = 70 };

/// Help of --method, shared by all commands that read a compiled network.
inline constexpr const char* kMethodHelp = "method of an ExecuTorch program; default: its first";
/// Help of --data, shared by all commands that read a compiled network.
inline constexpr const char* kDataHelp = "external data of an ExecuTorch program (.ptd); repeatable";

/// A subcommand adds itself to `app`; its callback sets `exit_code`.
using AddSubcommand = void (*)(Command app, int& exit_code);

[[nodiscard]] Exit exit_code_of(ErrorCode code);

/// Text for people may contain names from files. All of it is printed by these two functions, which replace terminal
/// control characters with U+FFFD (io::valid_utf8).
template <class... Values>
void print_stdout(fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("{}", io::valid_utf8(fmt::format(format, std::forward<Values>(values)...)));
}
/// Write errors on stderr are ignored.
template <class... Values>
void print_stderr(fmt::format_string<Values...> format, Values&&... values) {
  const auto text = io::valid_utf8(fmt::format(format, std::forward<Values>(values)...));
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

/// From now on errors start with "E: ", like those of Arm's virtual platforms, so that scripts find them in a log.
void mark_errors_as_arm();
/// "E: ", or an empty string.
[[nodiscard]] const char* error_mark();

/// Prints "macaw: ..." to stderr and returns the exit code of the error.
int report_error(const Error& error);

}  // namespace macaw::app
