#include <fmt/format.h>

#include <algorithm>

#include "workflow/report/bottlenecks.hpp"
#include "workflow/report/compute.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/strip.hpp"

namespace macaw::report {
namespace {

using npu::RunRecord;

constexpr std::size_t kMarkdownLayers = 20;

std::string percent_text(std::uint64_t part, double whole) { return fmt::format("{:.1f} %", percent(part, whole)); }

}  // namespace

std::string escape_markdown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string render_markdown(const RunRecord& run, const Summary& summary) {
  const auto cycles = static_cast<double>(run.cycles);
  auto text =
      fmt::format("### {} on {}\n\n{} cycles, {:.3f} ms at {:.0f} MHz ({}), system {}, {}\n\n",
                  escape_markdown(run.network), run.accelerator->name, run.cycles, 1e3 * run.seconds(),
                  run.clock_hz / 1e6, run.accuracy(), escape_markdown(run.system), escape_markdown(run.memory_mode));
  for (const auto& entry : strip(run, summary))
    text += fmt::format("- **{}** {}\n", escape_markdown(entry.value), escape_markdown(entry.name));
  if (const auto verdict = memory_verdict(run); !verdict.empty())
    text += fmt::format("- {}\n", escape_markdown(verdict));
  text += "\n| bound by | cycles | share |\n|---|--:|--:|\n";
  for (const auto& [bound, count] : summary.bounds)
    text += fmt::format("| {} | {} | {} |\n", bound.to_string(), count, percent_text(count, cycles));
  text += "\n";
  for (const auto& sentence : bottlenecks(run, summary)) text += fmt::format("- {}\n", escape_markdown(sentence));
  for (const auto& sentence : compute_sentences(run, summary)) text += fmt::format("- {}\n", escape_markdown(sentence));
  text += "\n| share | layer | cycles | MACs | of peak | bytes | bound by |\n|--:|---|--:|--:|--:|--:|---|\n";
  auto order = summary.longest();
  const auto shown = std::min(order.size(), kMarkdownLayers);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& layer = summary.layers[order[i]];
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", percent_text(layer.exclusive, cycles),
                        escape_markdown(layer.name), layer.exclusive, layer.macs,
                        percent_text(layer.macs, static_cast<double>(layer.inclusive) * run.accelerator->macs),
                        layer.moved(0) + layer.moved(1), layer.bound.to_string());
  }
  if (shown < order.size()) text += fmt::format("\n{} more layers\n", order.size() - shown);
  return text;
}

}  // namespace macaw::report
