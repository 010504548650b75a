#include "app/fvp/arm_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace macaw::app::fvp {
namespace {

/// What there is nothing to do for: there are no windows, no terminals and no buffers, semihosting is on, EOT always
/// ends the run, QEMU answers for stack and heap, and values do not depend on the platform's fast mode.
constexpr std::array<std::string_view, 12> kWithoutEffect = {"mps3_board.visualisation.disable-visualisation=1",
                                                             "mps3_board.telnetterminal0.start_telnet=0",
                                                             "mps3_board.telnetterminal1.start_telnet=0",
                                                             "mps3_board.telnetterminal2.start_telnet=0",
                                                             "mps3_board.telnetterminal5.start_telnet=0",
                                                             "mps3_board.uart0.unbuffered_output=1",
                                                             "mps3_board.uart0.shutdown_on_eot=1",
                                                             "mps3_board.DISABLE_GATING=1",
                                                             "cpu0.semihosting-enable=1",
                                                             "cpu0.semihosting-stack_base=0",
                                                             "cpu0.semihosting-heap_limit=0",
                                                             "ethosu.extra_args=--fast"};

/// Without the quotes that callers without a shell leave around it.
std::string unquoted(std::string value) {
  if (value.size() > 1 && value.front() == '\'' && value.back() == '\'') value = value.substr(1, value.size() - 2);
  return value;
}

}  // namespace

Result<void> apply_setting(Application& application, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return fail(ErrorCode::kUsage, fmt::format("-C {}: expected NAME=VALUE", text));
  if (std::ranges::find(kWithoutEffect, text) != kWithoutEffect.end()) return {};
  const std::string name = text.substr(0, equals), value = unquoted(text.substr(equals + 1));
  if (name == "ethosu.num_macs") {
    application.npu = application.npu.substr(0, application.npu.rfind('-') + 1) + value;
  } else if (name == "mps3_board.uart0.out_file") {
    application.uart_log = value == "-" ? "" : value;
  } else if (name == "mps3_board.uart0.shutdown_tag") {
    application.end_tag = value;
  } else if (name == "cpu0.semihosting-cmd_line") {
    std::istringstream words(value);
    for (std::string word; words >> word;) application.arguments.push_back(word);
  } else if (name == "cpu0.semihosting-cwd") {
    application.folder = value;
  } else {
    return fail(ErrorCode::kUnsupported,
                fmt::format("-C {}: Macaw does not know this parameter, or not this value", text));
  }
  return {};
}

}  // namespace macaw::app::fvp
