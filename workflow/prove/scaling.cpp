#include "workflow/prove/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include <macaw/tosa/interpreter.hpp>

#include "sim/datapath/output_rows.hpp"
#include "workflow/compare/compare.hpp"

namespace macaw::prove {
namespace {

using Values = std::vector<std::int64_t>;  // [row][channel]

/// Results of the graph for accumulators.
Result<Values> graph_results(const tosa::Graph& graph, const Values& accumulators) {
  const auto& input = graph.main().values[graph.main().inputs[0]];
  Tensor tensor(input.dtype, *input.shape);
  const auto fill = [&](auto span) {
    for (std::size_t i = 0; i < accumulators.size(); ++i)
      span[i] = static_cast<typename decltype(span)::value_type>(accumulators[i]);
  };
  if (size_of(input.dtype) == 4) fill(tensor.data<std::int32_t>());
  else fill(tensor.data<std::int64_t>());
  MACAW_ASSIGN(const auto result, tosa::run(graph, {std::move(tensor)}));
  if (result.verdict.status() != tosa::Status::kValid)
    return fail(ErrorCode::kUnpredictable, result.verdict.first()->to_string());
  Values values(accumulators.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = compare::integer_at(result.outputs[0], static_cast<std::int64_t>(i));
  return values;
}

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
    if (op.family == npu::Family::kU85) {
      MACAW_ASSIGN(auto stage, npu::ActivationStageU85::create(op, accelerator, memory));
      return OperationStages(scaling, std::move(stage), static_cast<std::size_t>(op.ofm.c));
    }
    MACAW_ASSIGN(auto stage, npu::ActivationStage::create(op, accelerator, memory));
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

using Function = std::function<Result<Values>(const Values&)>;

constexpr std::int64_t kLowest = -128, kRows = 255;  // results -127 to 127; -128 is reached everywhere

/// The least accumulator at which each result is reached, one above the range if it never is.
Result<Values> thresholds(const Function& function, const std::vector<AccumulatorRange>& ranges) {
  const auto channels = ranges.size();
  Values low(channels * static_cast<std::size_t>(kRows)), high(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    low[i] = ranges[i % channels].low;
    high[i] = ranges[i % channels].high + 1;
  }
  for (;;) {
    Values middle(low.size());
    bool open = false;
    for (std::size_t i = 0; i < low.size(); ++i) {
      middle[i] = low[i] + (high[i] - low[i]) / 2;
      middle[i] = std::min(middle[i], ranges[i % channels].high);
      open |= low[i] < high[i];
    }
    if (!open) return low;
    MACAW_ASSIGN(const auto values, function(middle));
    for (std::size_t i = 0; i < low.size(); ++i) {
      if (low[i] >= high[i]) continue;
      const auto wanted = kLowest + 1 + static_cast<std::int64_t>(i / channels);
      if (values[i] >= wanted) high[i] = middle[i];
      else low[i] = middle[i] + 1;
    }
  }
}

}  // namespace

std::string compare_scaling(const tosa::Graph& graph, const Chain& chain, const compare::Record& record,
                            const npu::Accelerator& accelerator, std::size_t first_channel, std::size_t all_channels,
                            const std::vector<AccumulatorRange>& ranges) {
  const auto& op = record.operation;
  if (op.activation.function != npu::ActivationFunction::kNone) return "an activation function behind the product";
  if (op.ofm.bits != 8 || !op.ofm.is_signed) return "results that are not int8";
  const auto limit = std::int64_t{1} << (npu::accumulator_bits(op.acc_format) - 1);
  for (const auto& range : ranges)
    if (range.low < -limit || range.high >= limit || range.low < INT32_MIN || range.high > INT32_MAX)
      return "accumulators that may overflow";
  const auto stages = OperationStages::create(record, accelerator);
  if (!stages) return stages.error().message;
  // The graph's factors are those of all channels; an operation may compute some of them.
  const auto whole = subgraph(graph, chain, {1, 1, kRows, static_cast<std::int64_t>(all_channels)});
  const auto expected = thresholds(
      [&](const Values& own) -> Result<Values> {
        Values all(static_cast<std::size_t>(kRows) * all_channels, 0);
        for (std::size_t i = 0; i < own.size(); ++i)
          all[i / ranges.size() * all_channels + first_channel + i % ranges.size()] = own[i];
        MACAW_ASSIGN(const auto results, graph_results(whole, all));
        Values out(own.size());
        for (std::size_t i = 0; i < own.size(); ++i)
          out[i] = results[i / ranges.size() * all_channels + first_channel + i % ranges.size()];
        return out;
      },
      ranges);
  if (!expected) return expected.error().message;
  const auto actual = thresholds([&](const Values& own) -> Result<Values> { return (*stages)(own); }, ranges);
  if (!actual) return actual.error().message;
  for (std::size_t i = 0; i < expected->size(); ++i)
    if ((*expected)[i] != (*actual)[i])
      return fmt::format("channel {}: {} is reached at accumulator {} in the graph, at {} in the stream",
                         first_channel + i % ranges.size(), kLowest + 1 + static_cast<std::int64_t>(i / ranges.size()),
                         (*expected)[i], (*actual)[i]);
  return "";
}

}  // namespace macaw::prove
