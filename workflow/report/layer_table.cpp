#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/readable_number.hpp"
#include "base/terminal.hpp"
#include "workflow/report/bottlenecks.hpp"
#include "workflow/report/compute.hpp"
#include "workflow/report/render.hpp"

namespace macaw::report {
namespace {

using npu::RunRecord;

std::string shape_text(const Layer& layer) {
  return layer.shape ? fmt::format("{}x{}x{}", (*layer.shape)[0], (*layer.shape)[1], (*layer.shape)[2]) : "";
}

/// A column of the table of layers: its heading, which side its text is aligned to, the narrowest terminal that shows
/// it, what stands in it.
struct LayerColumn {
  const char* heading;
  bool to_the_right;
  std::size_t least_width;
  std::string (*text)(const RunRecord& run, const Layer& layer);
};
constexpr LayerColumn kLayerColumns[] = {
    {"share", true, 0,
     [](const RunRecord& run, const Layer& l) {
       return fmt::format("{:.1f} %", percent(l.exclusive, static_cast<double>(run.cycles)));
     }},
    {"layer", false, 0, [](const RunRecord&, const Layer& l) { return l.name; }},
    {"shape", false, 100, [](const RunRecord&, const Layer& l) { return shape_text(l); }},
    {"cycles", true, 0, [](const RunRecord&, const Layer& l) { return io::with_thousands(l.exclusive); }},
    {"active", true, 90, [](const RunRecord&, const Layer& l) { return io::with_thousands(l.inclusive); }},
    {"of peak", true, 0,
     [](const RunRecord& run, const Layer& l) {
       if (l.macs == 0) return std::string();
       return fmt::format("{:.1f} %", percent(l.macs, static_cast<double>(l.inclusive) * run.accelerator->macs));
     }},
    {"limited by", false, 0, [](const RunRecord&, const Layer& l) { return l.bound.to_string(); }},
};

}  // namespace

std::string layer_table(const RunRecord& run, const Summary& summary, std::size_t most) {
  auto shown = summary.longest();
  const bool all = shown.size() <= most;
  if (!all) shown.resize(most);
  else std::ranges::sort(shown);
  auto text = io::wrap(fmt::format("{} of {} layers by cycles. \"cycles\" are exclusive, with the wait before a layer, "
                                   "and sum to the total; "
                                   "\"active\" is from first fetch to last write, and counts overlap.",
                                   shown.size(), summary.layers.size()),
                       io::terminal_width()) +
              "\n";
  if (!all) text.insert(0, "Top ");
  io::TableRows rows(1 + shown.size());
  std::vector<bool> to_the_right;
  for (const auto& column : kLayerColumns) {
    if (io::terminal_width() < column.least_width) continue;
    to_the_right.push_back(column.to_the_right);
    rows[0].emplace_back(column.heading);
    for (std::size_t i = 0; i < shown.size(); ++i) rows[i + 1].push_back(column.text(run, summary.layers[shown[i]]));
  }
  return text + io::table_text(rows, io::fit_columns(io::column_widths(rows), io::terminal_width()), to_the_right);
}

std::string bounds_text(const RunRecord& run, const Summary& summary) {
  std::string text = "Time by bottleneck:";
  const char* separator = " ";
  for (const auto& [bound, cycles] : summary.bounds) {
    if (cycles < run.cycles / 2000) break;  // 0.0 %, as all that follow
    text +=
        fmt::format("{}{} {:.1f} %", separator, bound.to_string(), percent(cycles, static_cast<double>(run.cycles)));
    separator = ", ";
  }
  const auto width = io::terminal_width();
  text = io::wrap(text, width, 2) + '\n';
  for (const auto& sentence : bottlenecks(run, summary)) text += io::wrap("  " + sentence, width, 4) + '\n';
  for (const auto& sentence : padded_channels(run, summary)) text += io::wrap("  " + sentence, width, 4) + '\n';
  for (const auto& sentence : compute_sentences(run, summary)) text += io::wrap("  " + sentence, width, 4) + '\n';
  return text;
}

bool fits(const Summary& summary, std::optional<std::uint64_t> sram_size) {
  return !sram_size || summary.memory[0].reach <= *sram_size;
}

std::string memory_text(const RunRecord& run, const Summary& summary, std::optional<std::uint64_t> sram_size) {
  std::string text;
  for (const int side : {0, 1}) {
    const auto& use = summary.memory[static_cast<std::size_t>(side)];
    if (use.reach == 0) continue;
    auto line = fmt::format("Memory on {}: needs {}; peak live {} at cycle {} (", run.side_name(side),
                            io::size_text(use.reach), io::size_text(use.peak), io::with_thousands(use.peak_cycle));
    const char* separator = "";
    for (std::size_t region = 0; region < use.extent.size(); ++region)
      if (use.extent[region] != 0) {
        line += fmt::format("{}region {}: {}", separator, region, io::size_text(use.extent[region]));
        separator = ", ";
      }
    text += io::wrap(line + ")", io::terminal_width(), 2) + "\n";
  }
  if (!sram_size) return text;
  const auto& use = summary.memory[0];
  if (fits(summary, sram_size))
    return text + fmt::format("Fits: {} of {} on {}, {} free\n", io::size_text(use.reach), io::size_text(*sram_size),
                              run.side_name(0), io::size_text(*sram_size - use.reach));
  auto line = fmt::format("Does not fit: needs {} on {}, {} more than {}", io::size_text(use.reach), run.side_name(0),
                          io::size_text(use.reach - *sram_size), io::size_text(*sram_size));
  if (use.peak <= *sram_size) line += "; the buffers that are live at the same time would fit";
  text += io::wrap(line, io::terminal_width(), 2) + "\n";
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
    text += fmt::format("  live at the peak: {} {}\n", io::size_text(largest[i].first), largest[i].second);
  return text;
}

}  // namespace macaw::report
