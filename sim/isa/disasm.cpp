#include "sim/isa/disasm.hpp"

#include <fmt/format.h>

#include <charconv>

namespace macaw::npu {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string value_text(Family family, const FieldRow& field, std::uint64_t value) {
  if (const auto name = value_name(family, field, value); !name.empty()) return std::string(name);
  return field.width >= 31 ? fmt::format("{:#x}", value) : fmt::format("{}", value);
}

/// A stream's name may come from a file: it must not contain line ends or the start of a comment.
std::string printable(std::string_view name) {
  std::string text(name);
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == ';') c = '?';
  return text;
}

/// Removes the next word from `line`.
std::string_view take_word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(kSpace), line.size());
  const auto end = std::min(line.find_first_of(kSpace, begin), line.size());
  const auto word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

class Assembler {
 public:
  explicit Assembler(const std::string& file) : file_(file) {}

  Result<Assembly> run(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      ++line_;
      MACAW_CHECK(add_line(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!assembly_.accelerator) return error("there is no .accelerator");
    return std::move(assembly_);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> error(std::string what) const {
    return fail(ErrorCode::kInvalidFile, fmt::format("line {}: {}", line_, what), {.file = file_});
  }

  Result<void> add_line(std::string_view line) {
    line = line.substr(0, line.find(';'));
    const auto word = take_word(line);
    if (word.empty()) return {};
    if (word == ".accelerator") {
      const auto name = trim(line);
      const auto* accelerator = find_accelerator(name);
      if (!accelerator) return error(fmt::format("there is no accelerator \"{}\"", name));
      if (assembly_.accelerator && assembly_.accelerator != accelerator) return error("a second .accelerator");
      assembly_.accelerator = accelerator;
      return {};
    }
    if (word == ".stream") {
      assembly_.streams.push_back({std::string(trim(line)), {}});
      return {};
    }
    return add_command(word, line);
  }

  Result<void> add_command(std::string_view name, std::string_view line) {
    if (!assembly_.accelerator) return error("a command before .accelerator");
    const Family family = assembly_.accelerator->family;
    const auto* row = find_command(family, name);
    if (!row) return error(fmt::format("{} has no command \"{}\"", to_string(family), name));
    std::vector<FieldValue> values;
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
      const auto equals = word.find('=');
      if (equals == word.npos) return error(fmt::format("\"{}\" is not field=value", word));
      const auto* field = find_field(*row, word.substr(0, equals));
      if (!field) return error(fmt::format("{} has no field \"{}\"", name, word.substr(0, equals)));
      for (const auto& other : values)
        if (other.name == field->name) return error(fmt::format("{} twice", field->name));
      const auto text = word.substr(equals + 1);
      auto value = value_code(family, *field, text);
      if (!value) value = parse_number(text);
      if (!value) return error(fmt::format("\"{}\" is not a value of {}", text, field->name));
      values.push_back({field->name, *value});
    }
    const auto words = encode(*row, values);
    if (!words) return error(words.error().message);
    if (assembly_.streams.empty()) assembly_.streams.emplace_back();
    auto& out = assembly_.streams.back().words;
    out.push_back(words->word0);
    if (row->words() == 2) out.push_back(words->payload);
    return {};
  }

  const std::string& file_;
  std::size_t line_ = 0;
  Assembly assembly_;
};

}  // namespace

std::string to_text(Family family, const Command& command) {
  std::string text(command.row->name);
  for (const auto& field : command.row->fields())
    text += fmt::format(" {}={}", field.name, value_text(family, field, command.value(field)));
  return text;
}

Result<std::string> disassemble(const Accelerator& accelerator, std::string_view name,
                                std::span<const std::uint32_t> words, const OperationComment& comment) {
  MACAW_ASSIGN(const auto commands, decode(accelerator.family, words));
  std::string text = fmt::format(".accelerator {}\n.stream {}\n", accelerator.name, printable(name));
  for (const auto& command : commands) {
    text += fmt::format("{}  ; {:#06x}", to_text(accelerator.family, command), command.offset);
    const auto more = comment && !command.row->is_set() ? printable(comment(command.offset)) : std::string();
    text += more.empty() ? "\n" : fmt::format(", {}\n", more);
  }
  return text;
}

Result<Assembly> assemble(std::string_view text, const std::string& file) { return Assembler(file).run(text); }

std::string_view command_name(const BlockOperation& operation) {
  switch (operation.kind) {
    case OpKind::kConv: return "NPU_OP_CONV";
    case OpKind::kDepthwise: return "NPU_OP_DEPTHWISE";
    case OpKind::kPool: return "NPU_OP_POOL";
    case OpKind::kElementwise: return "NPU_OP_ELEMENTWISE";
    case OpKind::kResize: return "NPU_OP_RESIZE";
  }
  return "NPU_OP";
}

}  // namespace macaw::npu
