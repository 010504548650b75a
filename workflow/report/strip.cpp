#include "workflow/report/strip.hpp"

#include <fmt/format.h>

#include "base/readable_number.hpp"
#include "workflow/report/compute.hpp"

namespace macaw::report {
namespace {

using npu::RunRecord;

StripEntry predicted(const RunRecord& run) {
  const double rate = run.cycles == 0 ? 0 : 1 / run.seconds();
  return {fmt::format("{:.3f} ms", 1e3 * run.seconds()),
          fmt::format("predicted at {:.0f} MHz, {} inferences/s", run.clock_hz / 1e6,
                      rate < 100    ? fmt::format("{:.1f}", rate)
                      : rate < 1e15 ? io::with_thousands(static_cast<std::uint64_t>(rate + 0.5))
                                    : fmt::format("{:g}", rate)),
          "NPU cycles over the clock, in milliseconds"};
}

/// The whole inference, where the CPU's part is known.
std::optional<StripEntry> whole_inference(const RunRecord& run) {
  if (!run.inference || run.inference->cpu.empty()) return std::nullopt;
  double elsewhere = 0;
  bool any = false, is_known = true;
  for (const auto& row : run.inference->rows) {
    if (row.kind == "npu") continue;
    any = true;
    is_known &= row.ms.has_value();
    elsewhere += row.ms.value_or(0);
  }
  if (!any) return std::nullopt;
  return StripEntry{
      fmt::format("{}{:.3f} ms", run.inference->lower_bound ? "at least " : "", run.inference->ms),
      fmt::format("whole inference, {}{:.3f} ms of it not on the NPU", is_known ? "" : "at least ", elsewhere),
      "predicted for " + run.inference->cpu};
}

StripEntry memory(const RunRecord& run, const Summary& summary, std::optional<std::uint64_t> size) {
  // Where nothing is in SRAM, the other side has what there is.
  const int side = !size && summary.memory[0].reach == 0 ? 1 : 0;
  const auto& use = summary.memory[static_cast<std::size_t>(side)];
  std::string fit;
  if (size) fit = fmt::format("{} {}, ", use.reach > *size ? "does not fit into" : "fits into", io::size_text(*size));
  return {
      io::size_text(use.peak),
      fmt::format("{} at its peak; {}needs {}", run.side_name(side), fit, io::size_text(use.reach)),
      "peak: most bytes that hold something at once; need: the highest addresses that are used, of all regions there"};
}

std::optional<StripEntry> weights(const Summary& summary) {
  npu::WeightFigures all;
  for (const auto& layer : summary.layers) {
    if (!layer.weights) continue;
    all.encoded += layer.weights->encoded;
    all.count += layer.weights->count;
  }
  if (all.encoded == 0) return std::nullopt;
  return StripEntry{io::size_text(all.encoded), fmt::format("weights, encoded; ratio {:.2f}", weight_ratio(all)),
                    fmt::format("{} weights of a byte each before encoding", io::with_thousands(all.count))};
}

}  // namespace

std::vector<StripEntry> strip(const RunRecord& run, const Summary& summary, std::optional<std::uint64_t> sram_size) {
  const auto cycles = static_cast<double>(run.cycles);
  std::vector<StripEntry> all{predicted(run)};
  if (auto entry = whole_inference(run)) all.push_back(std::move(*entry));
  all.push_back({io::with_thousands(run.cycles), "NPU cycles, predicted", "NPU_ACTIVE: cycles that the NPU is busy"});
  if (run.interval)
    all.push_back(
        {fmt::format("{}\u2013{}", io::with_thousands(run.interval->low), io::with_thousands(run.interval->high)),
         fmt::format("cycles, {:.0f} % prediction interval", 100 * run.interval->coverage), run.accuracy()});
  else all.push_back({"no interval", run.no_interval, run.accuracy()});
  if (!summary.bounds.empty())
    all.push_back({summary.bounds[0].first.to_string(),
                   fmt::format("limits most: {:.1f} % of the time", percent(summary.bounds[0].second, cycles)),
                   "the unit or port that most of the exclusive cycles are bound by"});
  all.push_back({fmt::format("{:.1f} %", percent(run.macs(), cycles * run.accelerator->macs)),
                 fmt::format("MAC utilisation of {} MACs per cycle", run.accelerator->macs),
                 io::with_thousands(run.macs()) + " multiply-accumulates"});
  all.push_back(memory(run, summary, sram_size));
  if (auto entry = weights(summary)) all.push_back(std::move(*entry));
  all.push_back({io::size_text(summary.layers.empty() ? 0
                                                      : run.bytes(0, false) + run.bytes(0, true) + run.bytes(1, false) +
                                                            run.bytes(1, true)),
                 "memory traffic", "bytes over both ports, reads and writes"});
  return all;
}

}  // namespace macaw::report
