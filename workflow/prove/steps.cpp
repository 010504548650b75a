#include "workflow/prove/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/tosa/interpreter.hpp>

#include "workflow/compare/tensor_difference.hpp"

namespace macaw::prove {
namespace {

/// The least accumulator at which each of the results from `first` to `last` is reached, one above the range if it
/// never is: kSteps of them, the last one again and again where there are less.
Result<Values> thresholds(const Function& function, const std::vector<AccumulatorRange>& ranges, std::int64_t first,
                          std::int64_t last) {
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
      const auto wanted = std::min(first + static_cast<std::int64_t>(i / channels), last);
      if (values[i] >= wanted) high[i] = middle[i];
      else low[i] = middle[i] + 1;
    }
  }
}

}  // namespace

std::string not_monotone(const npu::BlockOperation& op) {
  if (op.activation.function != npu::ActivationFunction::kNone) return "an activation function behind the scaling";
  if ((op.ofm.bits != 8 && op.ofm.bits != 16) || !op.ofm.is_signed) return "results that are neither int8 nor int16";
  if (op.activation.clip != npu::ClipRange::kOfmPrecision && op.activation.clip != npu::ClipRange::kForceInt8)
    return "results that are not clipped to their type";
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
                          std::size_t first_channel, int bits) {
  const std::int64_t last = (std::int64_t{1} << (bits - 1)) - 1;
  for (std::int64_t first = -last; first <= last; first += kSteps) {
    const auto expected = thresholds(graph, ranges, first, last);
    if (!expected) return expected.error().message;
    const auto actual = thresholds(stream, ranges, first, last);
    if (!actual) return actual.error().message;
    for (std::size_t i = 0; i < expected->size(); ++i)
      if ((*expected)[i] != (*actual)[i])
        return fmt::format("channel {}: {} is reached at accumulator {} in the graph, at {} in the stream",
                           first_channel + i % ranges.size(),
                           std::min(first + static_cast<std::int64_t>(i / ranges.size()), last), (*expected)[i],
                           (*actual)[i]);
  }
  return "";
}

}  // namespace macaw::prove
