#include "workflow/report/compute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/config/params.hpp"
#include "workflow/run/what_ifs.hpp"

namespace macaw::report {
namespace {

using npu::OperationDetails;
using npu::OperationTiming;
using npu::RunRecord;

constexpr double kWorthSaying = 0.95;  // a loss of less than a twentieth is not explained

int padded(int value, int granule) { return granule <= 0 ? value : (value + granule - 1) / granule * granule; }

void explain_lanes(const OperationTiming& o, ComputeNotes& notes) {
  const OperationDetails& d = *o.details;
  if (!d.lanes) return;
  if (d.lanes->channels < kWorthSaying) {
    const int full = padded(d.ofm[2], d.granule);
    notes.why.push_back(d.ofm[2] == 1 ? fmt::format("1 output channel is padded to {}", full)
                                      : fmt::format("{} output channels are padded to {}", d.ofm[2], full));
    notes.change.push_back(
        fmt::format("output channels in multiples of {}: {} take the same MAC cycles", d.granule, full));
  }
  if (d.lanes->positions < kWorthSaying)
    notes.why.push_back(fmt::format("a result of {}x{} is padded to micro-blocks of {}x{}", d.ofm[0], d.ofm[1],
                                    d.ublock[0], d.ublock[1]));
  if (d.lanes->inputs < kWorthSaying) {
    const int full = static_cast<int>(std::lround(d.ifm[2] / d.lanes->inputs));
    notes.why.push_back(d.ifm[2] == 1 ? fmt::format("1 input channel is padded to {}", full)
                                      : fmt::format("{} input channels are padded to {}", d.ifm[2], full));
    notes.change.push_back(fmt::format("input channels in multiples of {}", full));
  }
  if (d.lanes->bits < 1) notes.why.push_back(fmt::format("feature maps of {} bits", d.ifm_bits));
  if (d.lanes->kernel >= kWorthSaying) return;
  const int taps = d.kernel[0] * d.kernel[1];
  if (o.name == "NPU_OP_DEPTHWISE") {
    notes.why.push_back(fmt::format("a depthwise kernel of {}x{} uses one input channel for each output channel",
                                    d.kernel[0], d.kernel[1]));
    notes.change.emplace_back("a convolution in place of the depthwise one, where its MACs cost less than its lanes");
  } else {
    notes.why.push_back(fmt::format("{} tap{} of the kernel fill{} {:.0f} % of the groups that taps are multiplied in",
                                    taps, taps == 1 ? "" : "s", taps == 1 ? "s" : "", 100 * d.lanes->kernel));
  }
}

const npu::ParamInfo* find_param(std::string_view name) {
  const auto rows = npu::all_params();
  const auto row = std::ranges::find(rows, name, &npu::ParamInfo::name);
  return row == rows.end() ? nullptr : &*row;
}

void explain_output(const RunRecord& run, const OperationTiming& o, ComputeNotes& notes) {
  const OperationDetails& d = *o.details;
  const auto* rule = find_param(d.output_rule);
  if (rule == nullptr) return;
  notes.output = fmt::format("{:g} cycles for an element", d.output_cycles);
  if (d.output_rule != "ao_default") notes.output += fmt::format(" ({}: {})", rule->name, rule->text);
  if (d.ofm[2] % std::max(d.output_lanes, 1) != 0)
    notes.output += fmt::format("; {} channels together, so that {} cost as {}", d.output_lanes, d.ofm[2],
                                padded(d.ofm[2], d.output_lanes));
  const auto params = npu::default_params(*run.accelerator);
  const auto cheaper = [&](const char* other, const char* what) {
    const auto cost = params.get(other);
    if (cost && *cost < d.output_cycles)
      notes.change.push_back(fmt::format("{}: {:g} cycles for an element", what, *cost));
  };
  if (d.output_rule == "ao_activation_table") cheaper("ao_default", "no table, sigmoid or tanh");
  if (d.output_rule == "ao_addsub_advanced") cheaper("ao_addsub_simple", "operands of the same scale");
  if (o.name == "NPU_OP_ELEMENTWISE") notes.change.emplace_back("fuse it into the operator that produces its operand");
}

}  // namespace

ComputeNotes compute_notes(const RunRecord& run, const Layer& layer) {
  ComputeNotes notes;
  if (layer.operations.empty()) return notes;
  if (layer.macs != 0 && layer.mac_cycles != 0)
    notes.lanes = static_cast<double>(layer.macs) / (static_cast<double>(layer.mac_cycles) * run.accelerator->macs);
  const auto& main = run.operations[layer.main_operation];
  if (!main.details) return notes;
  explain_lanes(main, notes);
  explain_output(run, main, notes);
  return notes;
}

std::vector<std::string> compute_sentences(const RunRecord& run, const Summary& summary, std::size_t most) {
  std::vector<std::string> sentences;
  for (const auto i : summary.longest()) {
    const auto& layer = summary.layers[i];
    if (sentences.size() == most || layer.exclusive == 0) break;
    const auto notes = compute_notes(run, layer);
    std::vector<std::string> facts;
    if (notes.lanes)
      facts.push_back(fmt::format("{:.1f} % of the MAC lanes used while the array is active", 100 * *notes.lanes));
    facts.insert(facts.end(), notes.why.begin(), notes.why.end());
    if (layer.bound.unit == "output_unit" && !notes.output.empty())
      facts.push_back("the output unit takes " + notes.output);
    // Lanes that are all used are not worth a sentence.
    if (facts.size() > (notes.lanes ? 1U : 0U))
      sentences.push_back(fmt::format("{}: {}", layer.name, fmt::join(facts, "; ")));
  }
  return sentences;
}

std::string memory_verdict(const RunRecord& run) {
  if (!run.advice || run.cycles == 0) return {};
  double most = 0;
  std::string change;
  for (const auto& advice : *run.advice) {
    if (advice.kind == "compute" || advice.cycles >= run.cycles) continue;
    const double saved = 1 - static_cast<double>(advice.cycles) / static_cast<double>(run.cycles);
    if (saved > most) most = saved, change = advice.change;
  }
  constexpr double kHelps = 0.05;
  if (change.empty())
    return fmt::format("memory cannot help: no change of a memory that was simulated again saves {:g} % of the cycles",
                       100 * run::kLeastSaving);
  return fmt::format("memory can {}help: the best change that was simulated again saves {:.1f} % of the cycles ({})",
                     most < kHelps ? "hardly " : "", 100 * most, change);
}

double weight_ratio(const npu::WeightFigures& weights) {
  return weights.encoded == 0 ? 0 : static_cast<double>(weights.count) / static_cast<double>(weights.encoded);
}

double decode_rate(const Layer& layer) {
  return layer.decoder_cycles == 0 ? 0 : static_cast<double>(layer.decoded) / static_cast<double>(layer.decoder_cycles);
}

}  // namespace macaw::report
