#include "reference/tflite/quantization.hpp"

#include <algorithm>

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/svdf_common.cc, int8 input and weights with int8 or
// int16 state and time weights; lite/kernels/internal/reference/svdf.h for floats. With integers the fused activation
// is not applied there either: the output's range stands for it.
namespace macaw::tflite::svdf {
namespace {

enum Input : std::size_t { kInput, kFeatureWeights, kTimeWeights, kBias, kState };

struct Geometry {
  std::int64_t batches = 0, inputs = 0, filters = 0, memory = 0, rank = 0, units = 0;
};

struct Scales {
  Affine input, state, output;
  FixedMultiplier into_state, into_output;
};

Result<Geometry> geometry(const Call& call, std::int32_t rank) {
  MACAW_ASSIGN(const Tensor* in, call.input(kInput));
  MACAW_ASSIGN(const Tensor* feature, call.input(kFeatureWeights));
  MACAW_ASSIGN(const Tensor* time, call.input(kTimeWeights));
  MACAW_ASSIGN(const Tensor* state, call.input(kState));
  for (const Tensor* tensor : {in, feature, time})
    if (tensor->rank() != 2) return invalid(fmt::format("an operand of shape {}", to_string(tensor->shape())));
  Geometry g{in->shape()[0], in->shape()[1], feature->shape()[0], time->shape()[1], rank, 0};
  if (rank <= 0 || g.filters % rank != 0) return invalid(fmt::format("rank {} of {} filters", rank, g.filters));
  if (g.memory == 0) return invalid("a memory of no steps");
  g.units = g.filters / rank;
  const DType dtype = in->dtype() == DType::kFP32 ? DType::kFP32 : DType::kINT8;
  MACAW_CHECK(expect(*in, dtype, "the input"));
  MACAW_CHECK(expect(*feature, dtype, "the feature weights"));
  MACAW_CHECK(expect(*state, time->dtype(), "the state"));
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) MACAW_CHECK(expect(*time, dtype, "the time weights"));
  MACAW_CHECK(expect(*feature, Shape{g.filters, g.inputs}, "the feature weights"));
  MACAW_CHECK(expect(*time, Shape{g.filters, g.memory}, "the time weights"));
  // The weights lie in memory, so the product of their extents has no overflow.
  MACAW_CHECK(expect(*state, Shape{g.batches, g.filters * g.memory}, "the state"));
  MACAW_CHECK(expect(call.output(), Shape{g.batches, g.units}, "the output"));
  if (const Tensor* bias = call.optional_input(kBias)) {
    MACAW_CHECK(expect(*bias, dtype == DType::kFP32 ? dtype : DType::kINT32, "the bias"));
    MACAW_CHECK(expect(*bias, Shape{g.units}, "the bias"));
  }
  return g;
}

Result<Scales> scales(const Call& call) {
  Scales s;
  MACAW_ASSIGN(s.input, affine(call.inputs[kInput]));
  MACAW_ASSIGN(const Affine feature, affine(call.inputs[kFeatureWeights]));
  MACAW_ASSIGN(const Affine time, affine(call.inputs[kTimeWeights]));
  MACAW_ASSIGN(s.state, affine(call.inputs[kState]));
  MACAW_ASSIGN(s.output, affine(call.outputs[0]));
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
void run(Call& call, Tensor& memory_of_all, const Geometry& g, const Scales& s) {
  const auto in = call.inputs[kInput].value->data<std::int8_t>();
  const auto feature = call.inputs[kFeatureWeights].value->data<std::int8_t>();
  const auto time = call.inputs[kTimeWeights].value->data<T>();
  const auto state = memory_of_all.data<T>();
  const Tensor* bias = call.optional_input(kBias);
  const auto out = call.output().data<std::int8_t>();
  const auto memory = static_cast<std::size_t>(g.memory), inputs = static_cast<std::size_t>(g.inputs);
  const auto filters = static_cast<std::size_t>(g.filters), rank = static_cast<std::size_t>(g.rank);
  // One shift over all filters: the value that it moves into a filter's newest position is replaced below.
  std::copy(state.begin() + 1, state.end(), state.begin());
  for (std::size_t b = 0; b < static_cast<std::size_t>(g.batches); ++b) {
    const auto now = in.subspan(b * inputs, inputs);
    const auto filter = [&](std::size_t f) {
      const auto history = state.subspan((b * filters + f) * memory, memory);
      const std::int32_t feature_sum = dot(now, s.input.zero_point, feature.subspan(f * inputs, inputs));
      // The zero point is added after the clamp, and wraps.
      history.back() = static_cast<T>(clamped<T>(scale(feature_sum, s.into_state)) + s.state.zero_point);
      return dot(std::span<const T>(history), s.state.zero_point, time.subspan(f * memory, memory));
    };
    for (std::size_t u = 0; u < filters / rank; ++u) {
      std::int64_t sum = bias ? bias->data<std::int32_t>()[u] : 0;
      for (std::size_t r = 0; r < rank; ++r) sum += filter(u * rank + r);
      const std::int64_t value =
          std::int64_t{scale(static_cast<std::int32_t>(sum), s.into_output)} + s.output.zero_point;
      out[b * (filters / rank) + u] = static_cast<std::int8_t>(std::clamp<std::int64_t>(value, -128, 127));
    }
  }
}

/// In single precision, where the fused activation is applied.
Result<void> run_floats(Call& call, Tensor& memory_of_all, const Geometry& g,
                        schema::ActivationFunctionType activation) {
  MACAW_ASSIGN(const FloatRange range, activation_range(activation));
  const auto in = call.inputs[kInput].value->data<float>();
  const auto feature = call.inputs[kFeatureWeights].value->data<float>();
  const auto time = call.inputs[kTimeWeights].value->data<float>();
  const auto state = memory_of_all.data<float>();
  const Tensor* bias = call.optional_input(kBias);
  const auto out = call.output().data<float>();
  const auto memory = static_cast<std::size_t>(g.memory), inputs = static_cast<std::size_t>(g.inputs);
  const auto filters = static_cast<std::size_t>(g.filters), rank = static_cast<std::size_t>(g.rank);
  std::copy(state.begin() + 1, state.end(), state.begin());
  const auto product = [](std::span<const float> a, std::span<const float> b) {
    float sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::size_t b = 0; b < static_cast<std::size_t>(g.batches); ++b)
    for (std::size_t u = 0; u < filters / rank; ++u) {
      float sum = bias ? bias->data<float>()[u] : 0;
      for (std::size_t f = u * rank; f < (u + 1) * rank; ++f) {
        const auto history = state.subspan((b * filters + f) * memory, memory);
        history.back() = product(in.subspan(b * inputs, inputs), feature.subspan(f * inputs, inputs));
        sum += product(history, time.subspan(f * memory, memory));
      }
      out[b * (filters / rank) + u] = std::clamp(sum, range.min, range.max);
    }
  return {};
}

Result<void> svdf(Call& call) {
  MACAW_ASSIGN(const auto* option, call.options_as<schema::SVDFOptionsT>());
  MACAW_ASSIGN(const Geometry g, geometry(call, option->rank));
  if (call.output().dtype() == DType::kFP32) {
    MACAW_ASSIGN(const std::int64_t products, element_count({g.batches, g.filters, g.inputs + g.memory}));
    MACAW_CHECK(call.account(products));
    MACAW_ASSIGN(Tensor * state, call.state(kState));
    return state->size() == 0 ? Result<void>() : run_floats(call, *state, g, option->fused_activation_function);
  }
  MACAW_ASSIGN(const Scales s, scales(call));
  MACAW_ASSIGN(const std::int64_t macs, element_count({g.batches, g.filters, g.inputs + g.memory}));
  MACAW_CHECK(call.account(macs));
  MACAW_ASSIGN(Tensor * state, call.state(kState));
  if (state->size() == 0) return {};
  if (state->dtype() == DType::kINT16) {
    run<std::int16_t>(call, *state, g, s);
    return {};
  }
  MACAW_CHECK(expect(*state, DType::kINT8, "the state"));
  run<std::int8_t>(call, *state, g, s);
  return {};
}

constexpr Definition kDefinitions[] = {
    {"SVDF", 5, 5, 1, 1, svdf},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::svdf
