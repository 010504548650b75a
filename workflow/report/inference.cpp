#include "workflow/report/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/terminal.hpp"

namespace macaw::report {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKinds{{{"before", "before"},
                                                                               {"copy_in", "copy in"},
                                                                               {"cache", "cache"},
                                                                               {"npu", "NPU"},
                                                                               {"cpu", "CPU"},
                                                                               {"runtime", "runtime"},
                                                                               {"driver", "driver"},
                                                                               {"copy_out", "copy out"},
                                                                               {"after", "after"}}};

std::string row_text(const npu::InferenceRow& row) {
  if (!row.ms)
    return fmt::format("  {:<9}{:>10}  {:<19}  {}: {}\n", inference_kind_text(row.kind), "unknown", "", row.name,
                       row.source);
  return fmt::format("  {:<9}{:>10.4f}  {:<19}  {}\n", inference_kind_text(row.kind), *row.ms,
                     fmt::format("{:.4f}-{:.4f}", row.low_ms, row.high_ms), row.name);
}

}  // namespace

std::string_view inference_kind_text(std::string_view kind) {
  const auto found = std::ranges::find(kKinds, kind, [](const auto& entry) { return entry.first; });
  return found == kKinds.end() ? kind : found->second;
}

std::string inference_text(const npu::Inference& inference) {
  std::string text;
  const auto on_cpu = inference.cpu.empty() ? "" : " on " + inference.cpu;
  if (inference.lower_bound) {
    text = fmt::format("Predicted: at least {:.3f} ms for the whole inference{}", inference.ms, on_cpu);
  } else {
    text = fmt::format("Predicted: {:.3f} ms for the whole inference{} ({:.3f}-{:.3f} ms)", inference.ms, on_cpu,
                       inference.low_ms, inference.high_ms);
  }
  text = io::wrap(text, io::terminal_width(), 2) + "\n";
  for (const auto& note : inference.notes) text += fmt::format("  {}\n", note);
  const bool only_npu = inference.rows.size() == 1;
  if (!only_npu) {
    text += fmt::format("  {:<9}{:>10}  {:<19}  {}\n", "part", "ms", "range", "what");
    for (const auto& row : inference.rows) text += row_text(row);
  }
  for (const auto& saving : inference.savings)
    text += io::wrap(fmt::format("  would save at most {:.3f} ms ({:.1f} %): {}", saving.ms,
                                 100 * saving.ms / inference.ms, saving.change),
                     io::terminal_width(), 4) +
            "\n";
  if (!inference.basis.empty())
    text += io::wrap(fmt::format("  basis: {}", inference.basis), io::terminal_width(), 4) + "\n";
  return text;
}

}  // namespace macaw::report
