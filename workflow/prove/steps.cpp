#include "workflow/prove/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/tosa/interpreter.hpp>

#include "workflow/compare/compare.hpp"

namespace macaw::prove {
namespace {

constexpr std::int64_t kLowest = -128;

/// The least accumulator at which each result is reached, one above the range if it never is.
Result<Values> thresholds(const Function& function, const std::vector<AccumulatorRange>& ranges) {
  const auto channels = ranges.size();
  Values low(channels * static_cast<std::size_t>(kSteps)), high(low.size());
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

std::string not_monotone(const npu::BlockOperation& op) {
  if (op.activation.function != npu::ActivationFunction::kNone) return "an activation function behind the scaling";
  if (op.ofm.bits != 8 || !op.ofm.is_signed) return "results that are not int8";
  if (op.activation.clip != npu::ClipRange::kOfmPrecision && op.activation.clip != npu::ClipRange::kForceInt8)
    return "results that are not clipped to int8";
  return "";
}

Result<Values> graph_results(const tosa::Graph& graph, const Values& first) {
  std::vector<Tensor> inputs;
  for (const auto id : graph.main().inputs) {
    const auto& value = graph.main().values[id];
    auto& tensor = inputs.emplace_back(value.dtype, *value.shape);
    const auto fill = [&](auto span) {
      for (std::size_t i = 0; i < span.size(); ++i)
        span[i] = inputs.size() == 1 ? static_cast<typename decltype(span)::value_type>(first[i]) : 0;
    };
    if (size_of(value.dtype) == 4) fill(tensor.data<std::int32_t>());
    else fill(tensor.data<std::int64_t>());
  }
  MACAW_ASSIGN(const auto result, tosa::run(graph, std::move(inputs)));
  if (result.verdict.status() != tosa::Status::kValid)
    return fail(ErrorCode::kUnpredictable, result.verdict.first()->to_string());
  Values values(first.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = compare::integer_at(result.outputs[0], static_cast<std::int64_t>(i));
  return values;
}

std::string compare_steps(const Function& graph, const Function& stream, const std::vector<AccumulatorRange>& ranges,
                          std::size_t first_channel) {
  const auto expected = thresholds(graph, ranges);
  if (!expected) return expected.error().message;
  const auto actual = thresholds(stream, ranges);
  if (!actual) return actual.error().message;
  for (std::size_t i = 0; i < expected->size(); ++i)
    if ((*expected)[i] != (*actual)[i])
      return fmt::format("channel {}: {} is reached at accumulator {} in the graph, at {} in the stream",
                         first_channel + i % ranges.size(), kLowest + 1 + static_cast<std::int64_t>(i / ranges.size()),
                         (*expected)[i], (*actual)[i]);
  return "";
}

}  // namespace macaw::prove
