#include "reference/tflite/products.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <macaw/quantised_values.hpp>

#include "reference/tosa/kernels/best_version.hpp"

namespace macaw::tflite {

namespace {

/// Vectorised form of finish(): the multiplier is not negative, so its product rounds half up; a shift to the right
/// rounds half away from zero, so that the rounding constant is one less for negative values.
void finish_bytes(const std::int32_t* sums, const std::int32_t* bias, const std::int32_t* factors,
                  const std::int32_t* left, const std::int32_t* right, Range range, std::int32_t zero,
                  std::size_t count, std::int8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t sum = static_cast<std::uint32_t>(sums[i]) + static_cast<std::uint32_t>(bias[i]);
    const std::int64_t product = std::int64_t{static_cast<std::int32_t>(sum << left[i])} * factors[i];
    const std::int64_t high = (product + (std::int64_t{1} << 30)) >> 31;
    const std::int64_t half = (std::int64_t{1} << right[i]) >> 1;
    const std::int64_t scaled = (high + half - (high < 0 && half > 0 ? 1 : 0)) >> right[i];
    out[i] = static_cast<std::int8_t>(std::clamp<std::int64_t>(scaled + zero, range.min, range.max));
  }
}

void add_and_clamp(const float* sums, const float* bias, FloatRange range, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = std::clamp(sums[i] + bias[i], range.min, range.max);
}

}  // namespace

void Products::finish_all(const float* sums, std::size_t first, std::size_t count, float* out) const {
  if (float_bias_.empty()) {
    for (std::size_t i = 0; i < count; ++i) out[i] = std::clamp(sums[i], float_range_.min, float_range_.max);
    return;
  }
  static const auto kFinish = tosa::best_version<add_and_clamp>(tosa::Kernels::kBest);
  kFinish(sums, float_bias_.data() + first, float_range_, count, out);
}

void Products::finish_all(const std::int32_t* sums, std::size_t first, std::size_t count, std::int8_t* out) const {
  static const auto kFinish = tosa::best_version<finish_bytes>(tosa::Kernels::kBest);
  kFinish(sums, narrow_bias_.data() + first, factors_.data() + first, left_.data() + first, right_.data() + first,
          range_, output_zero_, count, out);
  if (!sums_) return;
  for (std::size_t i = 0; i < count; ++i)
    note(static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[i]) +
                                   static_cast<std::uint32_t>(narrow_bias_[first + i])));
}

Result<Products> Products::create(const Call& call, const ProductOperands& operands) {
  MACAW_ASSIGN(const Tensor* input, call.input(operands.input));
  MACAW_ASSIGN(const Tensor* filter, call.input(operands.filter));
  const Tensor* bias = call.optional_input(operands.bias);
  Products result;
  result.input_ = input->dtype();
  result.sums_ = call.sums;
  MACAW_CHECK(expect(call.output(), input->dtype(), "the output"));
  const bool has_narrow_sums = bias ? bias->dtype() == DType::kINT32 : operands.bias_type == schema::TensorType::INT32;
  result.is_wide_ = input->dtype() == DType::kINT16 && !has_narrow_sums;
  MACAW_CHECK(result.check_types(*input, *filter, bias));
  if (bias) {
    if (bias->size() != operands.channels)
      return invalid(fmt::format("a bias of {} for {} channels", bias->size(), operands.channels));
    MACAW_CHECK(result.read_bias(*bias));
  }
  if (input->dtype() == DType::kFP32) {
    if (filter->dtype() != DType::kFP32) MACAW_CHECK(result.dequantise(call.inputs[operands.filter], operands));
    MACAW_ASSIGN(result.float_range_, activation_range(operands.activation));
  } else {
    MACAW_CHECK(result.read_scales(call, operands));
    for (std::size_t i = 0; i < result.multipliers_.size(); ++i) {
      const auto& by = result.multipliers_[i];
      result.narrow_bias_.push_back(result.bias_.empty() ? 0 : static_cast<std::int32_t>(result.bias_[i]));
      result.factors_.push_back(by.multiplier);
      result.left_.push_back(std::max(by.shift, 0));
      result.right_.push_back(std::max(-by.shift, 0));
    }
  }
  return result;
}

Result<void> Products::check_types(const Tensor& input, const Tensor& filter, const Tensor* bias) {
  const DType sum = is_wide_ ? DType::kINT64 : DType::kINT32;
  switch (input.dtype()) {
    case DType::kFP32:
      if (filter.dtype() != DType::kINT8 && filter.dtype() != DType::kINT4)
        MACAW_CHECK(expect(filter, DType::kFP32, "the filter"));
      return bias ? expect(*bias, DType::kFP32, "the bias") : Result<void>();
    case DType::kUINT8: MACAW_CHECK(expect(filter, DType::kUINT8, "the filter")); break;
    case DType::kINT8:
    case DType::kINT16:
      if (filter.dtype() != DType::kINT4) MACAW_CHECK(expect(filter, DType::kINT8, "the filter"));
      break;
    default: return unsupported_type(input.dtype());
  }
  return bias ? expect(*bias, sum, "the bias") : Result<void>();
}

/// Weights of a hybrid network (dynamic range quantization). The kernels of TensorFlow Lite also quantise the input in
/// every run, in a way that depends on their version; they approximate the product of the values in the file, which is
/// computed here.
Result<void> Products::dequantise(const Operand& filter, const ProductOperands& operands) {
  if (!filter.quantization) return unsupported("the filter has no scale");
  if (filter.quantization->scale.size() > 1 &&
      filter.quantization->dimension != static_cast<std::int32_t>(operands.axis))
    return invalid(fmt::format("scales of the filter along axis {}", filter.quantization->dimension));
  MACAW_ASSIGN(float_filter_, dequantised(*filter.value, *filter.quantization));
  return {};
}

Result<void> Products::read_bias(const Tensor& bias) {
  if (bias.dtype() == DType::kFP32) {
    const auto values = bias.data<float>();
    float_bias_.assign(values.begin(), values.end());
    return {};
  }
  MACAW_ASSIGN(bias_, integers(bias, "the bias"));
  // The reference multiplies sums of at most 48 bits.
  constexpr std::int64_t kLimit = std::int64_t{1} << 47;
  if (std::ranges::any_of(bias_, [](auto b) { return b < -kLimit || b >= kLimit; }))
    return unsupported("a bias of more than 48 bits");
  return {};
}

Result<void> Products::read_scales(const Call& call, const ProductOperands& operands) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[operands.input]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  const Operand& filter = call.inputs[operands.filter];
  MACAW_ASSIGN(multipliers_, channel_multipliers(from, filter, to, operands.channels, operands.axis));
  const bool has_one_scale = filter.quantization->scale.size() == 1;
  // FULLY_CONNECTED applies a filter's zero point in release builds of TensorFlow Lite for Microcontrollers, which only
  // assert that there is none (lite/micro/kernels/fully_connected_common.cc); convolutions leave it out.
  if (input_ == DType::kUINT8 || (operands.is_fully_connected && has_one_scale)) {
    MACAW_ASSIGN(const Affine weights, affine(filter));
    filter_zero_ = weights.zero_point;
  } else if (std::ranges::any_of(filter.quantization->zero_point, [](auto zero) { return zero != 0; })) {
    return unsupported("a filter with a zero point");
  }
  // lite/kernels/kernel_util.cc, GetQuantizedConvolutionMultipler.
  if (has_one_scale && (operands.is_fully_connected || input_ == DType::kUINT8)) {
    const float product = from.scale * filter.quantization->scale[0];
    MACAW_ASSIGN(const auto multiplier, fixed_multiplier(double{product} / double{to.scale}));
    std::ranges::fill(multipliers_, multiplier);
  }
  if (input_ == DType::kINT16 && (from.zero_point != 0 || to.zero_point != 0))
    return unsupported("int16 with a zero point");
  constexpr int kWideShiftLimit = 8;
  if (is_wide_ && std::ranges::any_of(multipliers_, [](const auto& m) { return m.shift >= kWideShiftLimit; }))
    return unsupported("int16 with a scale of 128 or more");
  input_zero_ = from.zero_point;
  output_zero_ = to.zero_point;
  MACAW_ASSIGN(range_, activation_range(operands.activation, call.output().dtype(), to));
  return {};
}

FloatSums::FloatSums(const float* filter, std::size_t channels, std::size_t depth)
    : panels_(depth, channels), rows_(kRows * depth), sums_(kRows * panels_.columns()) {
  panels_.pack_transposed(filter, depth);
}

const float* FloatSums::sums(std::size_t rows) {
  tosa::float_gemm({rows_.data(), rows, panels_.k()}, panels_, sums_.data());
  return sums_.data();
}

ByteSums::ByteSums(const std::int8_t* filter, std::size_t channels, std::size_t depth, std::int32_t input_zero)
    : matrix_(depth, channels),
      zero_(input_zero + 128),
      columns_(pitch()),
      rows_(kRows * 4 * matrix_.quads()),
      sums_(kRows * pitch()) {
  matrix_.pack_transposed(filter, depth);
  const auto weights = matrix_.sums();
  for (std::size_t i = 0; i < channels; ++i) columns_[i] = static_cast<std::int32_t>(-std::int64_t{zero_} * weights[i]);
}

void ByteSums::put(std::size_t at_row, std::size_t at, const std::int8_t* values, std::size_t count) {
  std::transform(values, values + count, row(at_row) + at,
                 [](std::int8_t value) { return static_cast<std::uint8_t>(static_cast<std::uint8_t>(value) ^ 0x80U); });
}

void ByteSums::put_zeros(std::size_t at_row, std::size_t at, std::size_t count) {
  std::fill_n(row(at_row) + at, count, static_cast<std::uint8_t>(zero_));
}

const std::int32_t* ByteSums::sums(std::size_t rows) {
  tosa::byte_gemm({rows_.data(), rows, 4 * matrix_.quads()}, matrix_, {columns_, {}}, sums_.data(), pitch());
  return sums_.data();
}

}  // namespace macaw::tflite
