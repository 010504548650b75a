#include "sim/host/quantization.hpp"

#include <algorithm>

#include <fmt/format.h>

// lite/micro/kernels/svdf_common.cc, int8 input and weights with int8 or int16 state and time weights. The fused
// activation is not applied there either: the output's range stands for it.
namespace macaw::npu::host {
namespace {

enum Input : std::size_t { kInput, kFeatureWeights, kTimeWeights, kBias, kState };

struct Geometry {
  std::int64_t batches = 0, inputs = 0, filters = 0, memory = 0, rank = 0, units = 0;
};

struct Scales {
  Affine input, state, output;
  FixedMultiplier into_state, into_output;
};

Result<Geometry> geometry(const HostCall& call, std::int32_t rank) {
  MACAW_ASSIGN(const Tensor* in, input(call, kInput));
  MACAW_ASSIGN(const Tensor* feature, input(call, kFeatureWeights));
  MACAW_ASSIGN(const Tensor* time, input(call, kTimeWeights));
  MACAW_ASSIGN(const Tensor* state, input(call, kState));
  for (const Tensor* tensor : {in, feature, time})
    if (tensor->rank() != 2) return invalid(fmt::format("an operand of shape {}", macaw::to_string(tensor->shape())));
  Geometry g{in->shape()[0], in->shape()[1], feature->shape()[0], time->shape()[1], rank, 0};
  if (rank <= 0 || g.filters % rank != 0) return invalid(fmt::format("rank {} of {} filters", rank, g.filters));
  if (g.memory == 0) return invalid("a memory of no steps");
  g.units = g.filters / rank;
  MACAW_CHECK(expect(*in, DType::kINT8, "the input"));
  MACAW_CHECK(expect(*feature, DType::kINT8, "the feature weights"));
  MACAW_CHECK(expect(*state, time->dtype(), "the state"));
  MACAW_CHECK(expect(call.outputs[0], DType::kINT8, "the output"));
  MACAW_CHECK(expect(*feature, Shape{g.filters, g.inputs}, "the feature weights"));
  MACAW_CHECK(expect(*time, Shape{g.filters, g.memory}, "the time weights"));
  // The weights lie in memory, so the product of their extents has no overflow.
  MACAW_CHECK(expect(*state, Shape{g.batches, g.filters * g.memory}, "the state"));
  MACAW_CHECK(expect(call.outputs[0], Shape{g.batches, g.units}, "the output"));
  if (call.inputs[kBias]) {
    MACAW_CHECK(expect(*call.inputs[kBias], DType::kINT32, "the bias"));
    MACAW_CHECK(expect(*call.inputs[kBias], Shape{g.units}, "the bias"));
  }
  return g;
}

Result<Scales> scales(const HostOperator& op) {
  Scales s;
  MACAW_ASSIGN(s.input, affine(op.inputs[kInput]));
  MACAW_ASSIGN(const Affine feature, affine(op.inputs[kFeatureWeights]));
  MACAW_ASSIGN(const Affine time, affine(op.inputs[kTimeWeights]));
  MACAW_ASSIGN(s.state, affine(op.inputs[kState]));
  MACAW_ASSIGN(s.output, affine(op.outputs[0]));
  // The products are in single precision.
  MACAW_ASSIGN(s.into_state, fixed_multiplier(double{s.input.scale * feature.scale / s.state.scale}));
  MACAW_ASSIGN(s.into_output, fixed_multiplier(double{s.state.scale * time.scale / s.output.scale}));
  return s;
}

/// Sum of (a - zero_point) * b, as 32 bits hold it.
template <class A, class B>
std::int32_t dot(std::span<const A> a, std::int32_t zero_point, std::span<const B> b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (std::int64_t{a[i]} - zero_point) * b[i];
  return static_cast<std::int32_t>(sum);
}

template <class T>
void run(HostCall& call, const Geometry& g, const Scales& s) {
  const auto in = std::as_const(*call.inputs[kInput]).data<std::int8_t>();
  const auto feature = std::as_const(*call.inputs[kFeatureWeights]).data<std::int8_t>();
  const auto time = std::as_const(*call.inputs[kTimeWeights]).data<T>();
  const auto state = call.inputs[kState]->data<T>();
  const auto out = call.outputs[0].data<std::int8_t>();
  const auto memory = static_cast<std::size_t>(g.memory), inputs = static_cast<std::size_t>(g.inputs);
  const auto filters = static_cast<std::size_t>(g.filters), rank = static_cast<std::size_t>(g.rank);
  // One shift over all filters: what it moves into a filter's newest place is replaced below.
  std::copy(state.begin() + 1, state.end(), state.begin());
  for (std::size_t b = 0; b < static_cast<std::size_t>(g.batches); ++b) {
    const auto now = in.subspan(b * inputs, inputs);
    const auto filter = [&](std::size_t f) {
      const auto history = state.subspan((b * filters + f) * memory, memory);
      const std::int32_t feature_sum = dot(now, s.input.zero_point, feature.subspan(f * inputs, inputs));
      const std::int64_t newest = std::int64_t{scale(feature_sum, s.into_state)} + s.state.zero_point;
      history.back() = static_cast<T>(
          std::clamp<std::int64_t>(newest, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
      return dot(std::span<const T>(history), s.state.zero_point, time.subspan(f * memory, memory));
    };
    for (std::size_t u = 0; u < filters / rank; ++u) {
      std::int64_t sum = call.inputs[kBias] ? call.inputs[kBias]->data<std::int32_t>()[u] : 0;
      for (std::size_t r = 0; r < rank; ++r) sum += filter(u * rank + r);
      const std::int64_t value =
          std::int64_t{scale(static_cast<std::int32_t>(sum), s.into_output)} + s.output.zero_point;
      out[b * (filters / rank) + u] = static_cast<std::int8_t>(std::clamp<std::int64_t>(value, -128, 127));
    }
  }
}

}  // namespace

Result<void> svdf(HostCall& call) {
  MACAW_ASSIGN(const auto option, options<SvdfOptions>(call));
  MACAW_ASSIGN(const Geometry g, geometry(call, option.rank));
  MACAW_ASSIGN(const Scales s, scales(call.op));
  MACAW_ASSIGN(const std::int64_t macs, element_count({g.batches, g.filters, g.inputs + g.memory}));
  MACAW_CHECK(call.account(macs));
  if (call.inputs[kState]->size() == 0) return {};
  const DType state = call.inputs[kState]->dtype();
  if (state == DType::kINT16) {
    run<std::int16_t>(call, g, s);
    return {};
  }
  MACAW_CHECK(expect(*call.inputs[kState], DType::kINT8, "the state"));
  run<std::int8_t>(call, g, s);
  return {};
}

}  // namespace macaw::npu::host
