#include "compiler/compile.hpp"

#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace macaw::npu {
namespace {

/// By region.
constexpr std::array<std::string_view, 3> kMemoryNames{"constants", "arena", "fast scratch"};

/// A table of the database: rows of comma-separated cells, texts quoted.
class Table {
 public:
  Table(std::string_view name, std::vector<std::string> columns) : name_(name) {
    for (auto& column : columns) column = quoted(column);
    add(std::move(columns));
  }
  void add(std::vector<std::string> cells) { rows_ += fmt::format("{}\n", fmt::join(cells, ",")); }

  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      // A cell may not end the character data, and XML has no control characters.
      const bool ends = c == '>' && out.ends_with("]]");
      if (ends || static_cast<unsigned char>(c) < ' ') out += '?';
      else if (c == '"') out += "\"\"";
      else out += c;
    }
    return out + '"';
  }
  [[nodiscard]] std::string xml() const {
    return fmt::format("<table name=\"{}\">\n<![CDATA[\n{}]]>\n</table>\n", name_, rows_);
  }

 private:
  std::string name_, rows_;
};

/// Storage that the last step of each operator writes.
std::map<std::size_t, int> results(const Network& network) {
  std::map<std::size_t, int> all;
  for (const auto& step : network.steps) {
    if (const auto* layer = std::get_if<Layer>(&step)) all[layer->op] = layer->ofm.storage;
    else all[std::get<DmaLayer>(step).op] = std::get<DmaLayer>(step).target.storage;
  }
  return all;
}

}  // namespace

std::string debug_database(const Compiled& compiled) {
  const auto& network = compiled.network;
  Table source("source", {"id", "operator", "ofm_w", "ofm_h", "ofm_d", "ext_key"});
  Table optimised("optimised", {"id", "source_id", "operator", "ofm_w", "ofm_h", "ofm_d"});
  Table perf("perf", {"source_id", "optimised_id", "name"});
  Table streams("cmdstream", {"id", "file_offset"});
  Table queue("queue", {"offset", "cmdstream_id", "optimised_id"});
  Table tensors("tensors", {"id", "name", "memory", "format", "data_type", "start_address", "end_address"});

  const auto written = results(network);
  const auto number = [](auto value) { return std::to_string(value); };
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const auto kind = Table::quoted(network.operators[i].kind);
    std::array<int, 3> extents{};
    const auto at = written.find(i);
    if (at != written.end()) {
      const auto& s = network.storages[static_cast<std::size_t>(at->second)];
      extents = {s.w, s.h, s.c};
      optimised.add({number(i), number(i), kind, number(s.w), number(s.h), number(s.c)});
      perf.add({number(i), number(i), Table::quoted(s.name)});
    }
    const auto index = network.operators[i].index;
    source.add({number(i), kind, number(extents[0]), number(extents[1]), number(extents[2]),
                index ? number(*index) : std::string()});
  }
  streams.add({"0", "0"});
  for (const auto& operation : compiled.operations)
    queue.add({number(operation.word * sizeof(std::uint32_t)), "0", number(operation.op)});
  for (std::size_t i = 0; i < network.tensors.size(); ++i) {
    const auto& t = network.tensors[i];
    const auto& s = network.storages[static_cast<std::size_t>(t.storage)];
    tensors.add({number(i), Table::quoted(t.name), Table::quoted(kMemoryNames.at(static_cast<std::size_t>(s.region()))),
                 Table::quoted(s.layout == Layout::kNHWC ? "NHWC" : "NHCWB16"), Table::quoted(to_string(t.dtype)),
                 number(s.address), number(s.address + s.size)});
  }
  const auto* source_file = network.is_tflite ? "\"TFLite\" numbering=\"tflite\"" : "\"TOSA\"";
  return fmt::format("<?xml version='1.0' encoding='UTF-8'?>\n<debug source={}>\n{}{}{}{}{}{}</debug>\n", source_file,
                     source.xml(), optimised.xml(), perf.xml(), streams.xml(), queue.xml(), tensors.xml());
}

}  // namespace macaw::npu
