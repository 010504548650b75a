#include "workflow/prove/scaling.hpp"

#include <algorithm>

#include "sim/datapath/generation.hpp"
#include "sim/datapath/output_rows.hpp"
#include "workflow/prove/steps.hpp"

namespace macaw::prove {
namespace {

/// Results of the operation's own stages.
class OperationStages {
 public:
  static Result<OperationStages> create(const compare::Record& record, const npu::Accelerator& accelerator) {
    const auto& op = record.operation;
    const npu::MemoryMap memory;
    const int bits = npu::accumulator_bits(op.acc_format);
    auto entries = record.constants.scales;
    for (auto& entry : entries) entry.bias = 0;  // the accumulators have it
    const auto scaling = op.scale_per_channel ? npu::ChannelScaling(entries, op.ofm_scale.rounding, bits)
                                              : npu::ChannelScaling(op.ofm_scale, op.ofm.c, bits);
    MACAW_ASSIGN(auto stage, npu::datapath::generation(op.family).output_stage(op, accelerator, memory));
    return OperationStages(scaling, std::move(stage), static_cast<std::size_t>(op.ofm.c));
  }

  [[nodiscard]] Values operator()(const Values& accumulators) const {
    Values out(accumulators.size());
    scaling_.apply(accumulators.data(), static_cast<int>(accumulators.size() / channels_),
                   static_cast<std::ptrdiff_t>(channels_), out.data());
    std::visit([&](const auto& stage) { stage.apply(out); }, stage_);
    return out;
  }

 private:
  OperationStages(npu::ChannelScaling scaling, npu::OutputStage stage, std::size_t channels)
      : scaling_(std::move(scaling)), stage_(std::move(stage)), channels_(channels) {}

  npu::ChannelScaling scaling_;
  npu::OutputStage stage_;
  std::size_t channels_;
};

}  // namespace

std::string compare_scaling(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                            const npu::Accelerator& accelerator, std::size_t first_channel, std::size_t all_channels,
                            const std::vector<AccumulatorRange>& ranges) {
  const auto& op = record.operation;
  if (auto reason = not_monotone(op); !reason.empty()) return reason;
  const auto& values = graph.main().values;
  if (values[graph.main().operators[chain.operators.back()].outputs[0]].dtype !=
      (op.ofm.bits == 8 ? DType::kINT8 : DType::kINT16))
    return "results of another type";
  const int bits = values[chain.inputs[0]].dtype == DType::kINT48 ? 48 : 32;
  const auto limit = std::int64_t{1} << (std::min(bits, npu::accumulator_bits(op.acc_format)) - 1);
  for (const auto& range : ranges)
    if (range.low < -limit || range.high >= limit) return "accumulators that may overflow";
  const auto stages = OperationStages::create(record, accelerator);
  if (!stages) return stages.error().message;
  // The graph's factors are those of all channels; an operation may compute some of them.
  const auto whole = subgraph(graph, chain, {1, 1, kSteps, static_cast<std::int64_t>(all_channels)});
  const auto rows = static_cast<std::size_t>(kSteps);
  const Function expected = [&](const Values& own) -> Result<Values> {
    Values all(rows * all_channels, 0);
    for (std::size_t i = 0; i < own.size(); ++i)
      all[i / ranges.size() * all_channels + first_channel + i % ranges.size()] = own[i];
    MACAW_ASSIGN(const auto results, graph_results(whole, all));
    Values out(own.size());
    for (std::size_t i = 0; i < own.size(); ++i)
      out[i] = results[i / ranges.size() * all_channels + first_channel + i % ranges.size()];
    return out;
  };
  const Function actual = [&](const Values& own) -> Result<Values> { return (*stages)(own); };
  return compare_steps(expected, actual, ranges, first_channel, op.ofm.bits);
}

}  // namespace macaw::prove
