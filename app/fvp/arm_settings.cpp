#include "app/fvp/arm_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/file.hpp"
#include "base/number_text.hpp"

namespace macaw::app::fvp {
namespace {

enum class Type { kBoolean, kInteger, kString };
enum class Effect { kApplied, kAccepted, kIgnored };

struct Parameter {
  std::string_view name;
  Type type;
  std::string_view initial;
  Effect effect;
  std::string_view text;
};

constexpr Parameter kParameters[] = {
#define MACAW_FVP_PARAMETER(name, type, initial, effect, text) {name, Type::type, initial, Effect::effect, text},
#include "app/fvp/parameters.def"
#undef MACAW_FVP_PARAMETER
};

/// A name of the table, and the number in place of its "#".
struct Name {
  std::string text;
  std::size_t number = 0;
};

/// The SSE-300 name of a parameter that other platforms have under another path.
Name canonical(std::string name) {
  constexpr std::string_view kTop = "cpu_core.";  // prefix of every name on platforms of 2021
  if (name.starts_with(kTop)) name.erase(0, kTop.size());
  for (const Platform& platform : kPlatforms) {
    if (platform.parameters.empty()) continue;
    for (const auto& [path, other] : {std::pair{platform.parameters, ""}, std::pair{platform.board, "mps3_board."}})
      if (name.starts_with(path)) name = other + name.substr(path.size());
  }
  for (const std::string_view part : {"mps3_board.uart", "mps3_board.telnetterminal"}) {
    if (!name.starts_with(part) || name.size() < part.size() + 2 || name[part.size() + 1] != '.') continue;
    const auto number = static_cast<std::size_t>(name[part.size()] - '0');
    if (number >= std::tuple_size_v<Uarts>) continue;
    name[part.size()] = '#';
    return {name, number};
  }
  return {name, 0};
}

bool is_named(const Parameter& parameter, std::string_view name) {
  if (!parameter.name.ends_with('*')) return parameter.name == name;
  return name.starts_with(parameter.name.substr(0, parameter.name.size() - 1));
}

/// Removes one pair of quotes, 'x' or "x", which callers without a shell leave around a value.
std::string unquoted(std::string_view text) {
  const bool is_quoted =
      text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  if (is_quoted && text.find(text.front(), 1) == text.size() - 1) text = text.substr(1, text.size() - 2);
  return std::string(text);
}

/// The same for quotes around parts, as a shell removes them; unchanged if a quote is not closed.
std::string without_quotes(const std::string& text) {
  std::string stripped;
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 ? c == '\'' || c == '"' : c == quote) quote = quote == 0 ? c : '\0';
    else stripped += c;
  }
  return quote == 0 ? stripped : text;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

/// The line up to a "#" outside of quotes.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"') quote = c;
    else if (c == '#') return line.substr(0, i);
  }
  return line;
}

std::optional<bool> boolean(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  const auto number = read_number(text);
  if (!number) return {};
  return *number != 0;
}

/// A value converted to the type of its parameter.
struct Value {
  std::string text;
  bool flag = false;
  std::uint64_t number = 0;
};

Result<Value> read_value(const Parameter& parameter, const std::string& name, const std::string& text) {
  Value value{text};
  const auto wrong = [&](const char* expected) {
    return fail(ErrorCode::kUsage, fmt::format("{}={}: expected {}", name, text, expected));
  };
  if (parameter.type == Type::kInteger) {
    const auto number = read_number(text);
    if (!number) return wrong("an integer");
    value.number = *number;
  }
  if (parameter.type != Type::kBoolean) return value;
  const auto flag = boolean(text);
  if (!flag) return wrong("true or false");
  value.flag = *flag;
  return value;
}

bool is_initial(const Parameter& parameter, const Value& value) {
  switch (parameter.type) {
    case Type::kBoolean: return value.flag == (parameter.initial == "1");
    case Type::kInteger: return value.number == read_number(parameter.initial);
    case Type::kString: return value.text == parameter.initial;
  }
  return false;
}

/// The system control block's register that the CPU starts by, of all platforms.
constexpr std::string_view kResetVectors = "iotss3_systemcontrol.INITSVTOR_RST";

/// Options of the platform's model of the NPU. Results do not depend on its fast mode.
void apply_npu_options(Application& application, const std::string& options, std::vector<std::string>& warnings) {
  std::istringstream words(options);
  words.exceptions(std::ios::badbit);
  for (std::string word; words >> word;) {
    if (word == "--fast" || (word == "--pmu-trace" && words >> application.pmu_trace)) continue;
    warnings.push_back(fmt::format("ethosu.extra_args: {} is ignored; Macaw knows --fast and --pmu-trace FILE", word));
  }
}

Result<void> apply_uart(Uart& uart, std::string_view setting, const Value& value) {
  if (setting == "out_file") {
    const bool is_stdout = value.text == "-" || value.text == "/dev/stdout";
    uart.shown = uart.shown || is_stdout;
    uart.log = is_stdout ? "" : value.text;
    uart.replaces = true;
  } else if (setting == "in_file") {
    uart.input = value.text;
  } else if (setting == "shutdown_on_eot") {
    uart.ends_at_eot = value.flag;
  } else if (setting == "shutdown_tag") {
    uart.end_tag = value.text;
  } else if (setting == "start_telnet") {
    uart.listens = value.flag;
  } else if (setting == "quiet") {
    uart.hides_port = value.flag;
  } else if (setting == "start_port") {
    if (value.number == 0 || value.number > UINT16_MAX)
      return fail(ErrorCode::kUsage, fmt::format("start_port={}: expected a port, 1 to 65535", value.text));
    uart.port = static_cast<std::uint16_t>(value.number);
  }
  return {};
}

Result<void> apply(Application& application, const Name& name, const Value& value, std::vector<std::string>& warnings) {
  if (name.text.find('#') != std::string::npos)
    return apply_uart(application.uarts.at(name.number), name.text.substr(name.text.rfind('.') + 1), value);
  if (name.text == "ethosu.num_macs") {
    application.npu = application.npu.substr(0, application.npu.rfind('-') + 1) + std::to_string(value.number);
  } else if (name.text == "ethosu.config") {
    const auto macs = value.text.empty() ? std::nullopt : read_number(std::string_view(value.text).substr(1));
    const bool is_config = macs && (value.text.front() == 'H' || value.text.front() == 'Y');
    if (!is_config)
      return fail(ErrorCode::kUsage, fmt::format("ethosu.config={}: expected a name such as H128 or Y256", value.text));
    application.npu = fmt::format("ethos-u{}-{}", value.text.front() == 'H' ? "55" : "65", *macs);
  } else if (name.text == "ethosu.extra_args") {
    apply_npu_options(application, value.text, warnings);
  } else if (name.text == "core_clk.mul") {
    if (value.number == 0) return fail(ErrorCode::kUsage, "core_clk.mul=0: a clock has to run");
    application.limits.clock_hz = static_cast<double>(value.number);
  } else if (name.text == "cpu0.semihosting-enable") {
    application.semihosting = value.flag;
  } else if (name.text == "cpu0.semihosting-cmd_line") {
    application.arguments.clear();
    std::istringstream words(value.text);
    for (std::string word; words >> word;) application.arguments.push_back(word);
  } else if (name.text == "cpu0.semihosting-cwd") {
    application.folder = value.text;
  } else if (name.text == "cpu0.INITSVTOR" || name.text.ends_with(kResetVectors)) {
    if (value.number > UINT32_MAX || value.number % 128 != 0)
      return fail(ErrorCode::kUsage,
                  fmt::format("{}={}: expected a multiple of 128 of 32 bits", name.text, value.text));
    application.vectors = static_cast<std::uint32_t>(value.number);
  }
  return {};
}

}  // namespace

Result<void> apply_setting(Application& application, const std::string& quoted, std::vector<std::string>& warnings) {
  const std::string text = unquoted(quoted);
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return fail(ErrorCode::kUsage, fmt::format("-C {}: expected NAME=VALUE", text));
  const std::string given = trimmed(without_quotes(text.substr(0, equals)));
  const Name name = canonical(given);
  const std::string whole = unquoted(trimmed(text.substr(equals + 1)));
  const auto parameter =
      std::ranges::find_if(kParameters, [&](const Parameter& one) { return is_named(one, name.text); });
  if (parameter == std::end(kParameters)) {
    warnings.push_back(fmt::format("{}: unknown parameter, ignored", given));
    return {};
  }
  // Quotes inside a command line belong to the application.
  MACAW_ASSIGN(const Value value,
               read_value(*parameter, given, name.text == "cpu0.semihosting-cmd_line" ? whole : without_quotes(whole)));
  if (parameter->effect == Effect::kApplied) return apply(application, name, value, warnings);
  if (parameter->effect == Effect::kIgnored && !is_initial(*parameter, value))
    warnings.push_back(fmt::format("{}={}: ignored, {}", given, value.text, parameter->text));
  return {};
}

Result<void> apply_file(Application& application, const std::string& file, std::vector<std::string>& warnings) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string setting = trimmed(without_comment(line));
    if (setting.empty()) continue;
    if (const auto applied = apply_setting(application, setting, warnings); !applied)
      return fail(applied.error().code, fmt::format("line {}: {}", number, applied.error().message), {.file = file});
  }
  return {};
}

std::string list_parameters(const Application& application) {
  const Platform& platform = *application.platform;
  std::string list = "# instance.parameter=value    # (type) : description\n";
  const auto add = [&](const Parameter& parameter, std::string name) {
    constexpr std::string_view kBoard = "mps3_board.";
    if (name.starts_with(kBoard)) name = std::string(platform.board) + name.substr(kBoard.size());
    else if (name.starts_with("cpu0.") || name.starts_with("ethosu.")) name = std::string(platform.parameters) + name;
    const std::string initial = parameter.name == "ethosu.num_macs"
                                    ? application.npu.substr(application.npu.rfind('-') + 1)
                                : name.ends_with("uart0.shutdown_on_eot") ? "1"
                                                                          : std::string(parameter.initial);
    const char* const type = parameter.type == Type::kBoolean   ? "bool"
                             : parameter.type == Type::kInteger ? "int"
                                                                : "string";
    list += fmt::format(
        "{:<56} # ({:<6}) : {}{}\n",
        parameter.type == Type::kString ? fmt::format("{}=\"{}\"", name, initial) : fmt::format("{}={}", name, initial),
        type, parameter.effect == Effect::kIgnored ? "other values are ignored: " : "", parameter.text);
  };
  for (const Parameter& parameter : kParameters) {
    std::string name(parameter.name);
    const std::size_t number = name.find('#');
    if (name.ends_with('*') || name == "cpu0.INITSVTOR" || name == "ethosu.config" || name.ends_with(kResetVectors))
      continue;
    if (number == std::string::npos) add(parameter, name);
    else
      for (std::size_t i = 0; i < std::tuple_size_v<Uarts>; ++i)
        add(parameter, name.substr(0, number) + std::to_string(i) + name.substr(number + 1));
  }
  return list;
}

}  // namespace macaw::app::fvp
