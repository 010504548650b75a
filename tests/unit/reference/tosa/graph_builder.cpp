#include "tests/unit/reference/tosa/graph_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace macaw::tosa::test {
namespace {

std::string bytes_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string dump(const AttributeValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) return fmt::format("{}", *list);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return bytes_of(std::get<std::vector<std::byte>>(value));
}

std::string dump(const Block& block) {
  const auto names = [&](const std::vector<ValueId>& ids) {
    std::string text;
    for (const auto id : ids) text += " " + block.values[id].name;
    return text;
  };
  std::vector<std::string> lines;
  for (const auto& v : block.values)
    lines.push_back(fmt::format("  {} {} {} {} {}\n", v.name, to_string(v.dtype),
                                v.shape ? to_string(*v.shape) : "unranked", v.variable,
                                v.data ? bytes_of(v.data->bytes()) : ""));
  std::ranges::sort(lines);  // shapes and tensors are two lists in a file
  std::string text =
      fmt::format("{}:{} ->{}\n{}", block.name, names(block.inputs), names(block.outputs), fmt::join(lines, ""));
  for (const auto& op : block.operators) {
    text += fmt::format("  {}{} ->{}", to_string(op.op), names(op.inputs), names(op.outputs));
    auto attributes = op.attributes;
    std::ranges::sort(attributes, {}, [](const auto& a) { return a.first; });
    for (const auto& [name, value] : attributes) text += fmt::format(" {}={}", to_string(name), dump(value));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string dump(const Graph& graph) {
  std::string text;
  for (const auto& block : graph.blocks) text += dump(block);
  return text;
}

}  // namespace macaw::tosa::test
