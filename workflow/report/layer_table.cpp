#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "workflow/report/bottlenecks.hpp"
#include "workflow/report/render.hpp"

namespace macaw::report {
namespace {

using npu::RunRecord;

std::string shape_text(const Layer& layer) {
  return layer.shape ? fmt::format("{}x{}x{}", (*layer.shape)[0], (*layer.shape)[1], (*layer.shape)[2]) : "";
}

/// A column of the table of layers: its heading, how a cell is laid out, what stands in it.
struct LayerColumn {
  const char* heading;
  const char* layout;
  std::string (*text)(const RunRecord& run, const Layer& layer);
};
constexpr LayerColumn kLayerColumns[] = {
    {"share", "{:>8}",
     [](const RunRecord& run, const Layer& l) {
       return fmt::format("{:.1f} %", percent(l.exclusive, static_cast<double>(run.cycles)));
     }},
    {"layer", "  {:<44}", [](const RunRecord&, const Layer& l) { return l.name; }},
    {"shape", " {:<13}", [](const RunRecord&, const Layer& l) { return shape_text(l); }},
    {"cycles", " {:>10}", [](const RunRecord&, const Layer& l) { return fmt::format("{}", l.exclusive); }},
    {"in progress", " {:>11}", [](const RunRecord&, const Layer& l) { return fmt::format("{}", l.inclusive); }},
    {"MACs", " {:>12}", [](const RunRecord&, const Layer& l) { return fmt::format("{}", l.macs); }},
    {"of peak", " {:>8}",
     [](const RunRecord& run, const Layer& l) {
       if (l.macs == 0) return std::string();
       return fmt::format("{:.1f} %", percent(l.macs, static_cast<double>(l.inclusive) * run.accelerator->macs));
     }},
    {"bytes", " {:>10}", [](const RunRecord&, const Layer& l) { return fmt::format("{}", l.moved(0) + l.moved(1)); }},
    {"commands", " {:>8}", [](const RunRecord&, const Layer& l) { return fmt::format("{}", l.operations.size()); }},
    {"bound by", "  {}", [](const RunRecord&, const Layer& l) { return l.bound.to_string(); }},
};

template <class F>
std::string layers_line(F&& cell) {
  std::string line;
  for (const auto& column : kLayerColumns) line += fmt::format(fmt::runtime(column.layout), cell(column));
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

}  // namespace

std::string layer_table(const RunRecord& run, const Summary& summary, std::size_t most) {
  auto shown = summary.longest();
  const bool all = shown.size() <= most;
  if (!all) shown.resize(most);
  else std::ranges::sort(shown);
  auto text = fmt::format(
      "layers ({} of {}); the cycles of all add up to the run's, layers that overlap are in progress "
      "together\n",
      shown.size(), summary.layers.size());
  text += layers_line([](const LayerColumn& column) { return std::string(column.heading); });
  for (const auto i : shown)
    text += layers_line([&](const LayerColumn& column) { return column.text(run, summary.layers[i]); });
  return text;
}

std::string bounds_text(const RunRecord& run, const Summary& summary) {
  std::string text = "time by what binds it:";
  const char* separator = " ";
  for (const auto& [bound, cycles] : summary.bounds) {
    if (cycles < run.cycles / 2000) break;  // 0.0 %, as all that follow
    text +=
        fmt::format("{}{} {:.1f} %", separator, bound.to_string(), percent(cycles, static_cast<double>(run.cycles)));
    separator = ", ";
  }
  text += '\n';
  for (const auto& sentence : bottlenecks(run, summary)) text += "  " + sentence + '\n';
  for (const auto& sentence : padded_channels(run, summary)) text += "  " + sentence + '\n';
  return text;
}

std::string memory_text(const RunRecord& run, const Summary& summary, std::optional<std::uint64_t> sram_size) {
  std::string text;
  for (const int side : {0, 1}) {
    const auto& use = summary.memory[static_cast<std::size_t>(side)];
    if (use.reach == 0) continue;
    text += fmt::format("memory on {}: {} bytes used", run.side_name(side), use.reach);
    for (std::size_t region = 0; region < use.extent.size(); ++region)
      if (use.extent[region] != 0) text += fmt::format(", region {} {}", region, use.extent[region]);
    text += fmt::format("; at most {} at once (cycle {})\n", use.peak, use.peak_cycle);
  }
  if (!sram_size) return text;
  const auto& use = summary.memory[0];
  if (use.reach <= *sram_size)
    return text +
           fmt::format("fits into {} bytes of {}, {} are left\n", *sram_size, run.side_name(0), *sram_size - use.reach);
  text += fmt::format("does not fit into {} bytes of {}: {} are missing", *sram_size, run.side_name(0),
                      use.reach - *sram_size);
  text += use.peak <= *sram_size ? "; what is there at once would fit\n" : "\n";
  // A tensor may lie there in pieces.
  std::map<std::pair<std::string, bool>, std::uint64_t> tensors;
  for (const auto& life : use.at_peak)
    tensors[{summary.layers[summary.layer_of[life.operation]].name, life.written}] += life.bytes();
  std::vector<std::pair<std::uint64_t, std::string>> largest;
  for (const auto& [tensor, bytes] : tensors)
    largest.emplace_back(bytes, (tensor.second ? "written by " : "read by ") + tensor.first);
  std::ranges::sort(largest, std::greater{});
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(largest.size(), kShown); ++i)
    text += fmt::format("  at the peak: {} bytes {}\n", largest[i].first, largest[i].second);
  return text;
}

}  // namespace macaw::report
