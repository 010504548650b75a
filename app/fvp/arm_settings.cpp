#include "app/fvp/arm_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/number_text.hpp"

namespace macaw::app::fvp {
namespace {

/// What there is nothing to do for: there are no windows and no terminals, semihosting is on, EOT always ends the run,
/// QEMU answers for stack and heap.
constexpr std::array<std::string_view, 11> kWithoutEffect = {"mps3_board.visualisation.disable-visualisation=1",
                                                             "vis_hdlcd.disable_visualisation=1",
                                                             "mps3_board.telnetterminal0.start_telnet=0",
                                                             "mps3_board.telnetterminal1.start_telnet=0",
                                                             "mps3_board.telnetterminal2.start_telnet=0",
                                                             "mps3_board.telnetterminal5.start_telnet=0",
                                                             "mps3_board.uart0.shutdown_on_eot=1",
                                                             "mps3_board.DISABLE_GATING=1",
                                                             "cpu0.semihosting-enable=1",
                                                             "cpu0.semihosting-stack_base=0",
                                                             "cpu0.semihosting-heap_limit=0"};

/// What SSE-300's platform calls a parameter that SSE-320's has as well, by another path.
std::string of_sse300(std::string name) {
  for (const auto& [path, other] : {std::pair{"mps4_board.subsystem.", ""}, std::pair{"mps4_board.", "mps3_board."}})
    if (name.starts_with(path)) return other + name.substr(std::string_view(path).size());
  return name;
}

/// Without the quotes around it that callers without a shell leave: 'x' and "x", where they are one pair.
std::string unquoted(std::string_view text) {
  const bool is_quoted =
      text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  if (is_quoted && text.find(text.front(), 1) == text.size() - 1) text = text.substr(1, text.size() - 2);
  return std::string(text);
}

/// The same of quotes around parts, as a shell strips them; as it is if a quote does not end.
std::string without_quotes(const std::string& text) {
  std::string stripped;
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 ? c == '\'' || c == '"' : c == quote) quote = quote == 0 ? c : '\0';
    else stripped += c;
  }
  return quote == 0 ? stripped : text;
}

/// The sizes of the tightly coupled memories, which QEMU has 512 KiB of each: from none (0) to 16 MiB (15).
bool is_tcm_size(std::string_view name, std::string_view value) {
  constexpr unsigned kLargest = 15;
  const auto size = io::decimal_or_hexadecimal<unsigned>(value);
  return (name == "cpu0.CFGITCMSZ" || name == "cpu0.CFGDTCMSZ") && size && *size <= kLargest;
}

/// Which UART "mps3_board.uart1.out_file" is about if `setting` is "out_file"; null: none.
Uart* uart_of(Application& application, std::string_view name, std::string_view setting) {
  for (std::size_t i = 0; i < application.uarts.size(); ++i)
    if (name == fmt::format("mps3_board.uart{}.{}", i, setting)) return &application.uarts[i];
  return nullptr;
}

/// The options of the platform's model of the NPU. Values do not depend on its fast mode.
Result<void> apply_npu_options(Application& application, const std::string& options) {
  std::istringstream words(options);
  words.exceptions(std::ios::badbit);
  for (std::string word; words >> word;) {
    if (word == "--fast") continue;
    if (word != "--pmu-trace" || !(words >> application.pmu_trace))
      return fail(ErrorCode::kUnsupported,
                  fmt::format("ethosu.extra_args={}: Macaw knows --fast and --pmu-trace FILE", options));
  }
  return {};
}

}  // namespace

Result<void> apply_setting(Application& application, const std::string& quoted) {
  const std::string text = unquoted(quoted);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return fail(ErrorCode::kUsage, fmt::format("-C {}: expected NAME=VALUE", text));
  const std::string name = of_sse300(without_quotes(text.substr(0, equals)));
  const std::string whole = unquoted(text.substr(equals + 1));
  // Quotes inside a command line are the application's.
  const std::string value = name == "cpu0.semihosting-cmd_line" ? whole : without_quotes(whole);
  if (std::ranges::find(kWithoutEffect, name + "=" + value) != kWithoutEffect.end()) return {};
  if (is_tcm_size(name, value)) return {};
  // Nothing is kept back in a buffer.
  if (value == "1" && uart_of(application, name, "unbuffered_output") != nullptr) return {};
  if (name == "ethosu.num_macs") {
    application.npu = application.npu.substr(0, application.npu.rfind('-') + 1) + value;
  } else if (name == "ethosu.extra_args") {
    MACAW_CHECK(apply_npu_options(application, value));
  } else if (Uart* const uart = uart_of(application, name, "out_file")) {
    uart->shown = uart->shown || value == "-";
    uart->log = value == "-" ? "" : value;
    uart->replaces = true;
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
