#include <algorithm>
#include <cstdlib>

#include "reference/tflite/products.hpp"
#include "reference/tflite/to_tosa/window.hpp"

namespace macaw::tflite {
namespace {

/// Sums of products: an operator of TOSA with input, weights [OC, ...] or [KH, KW, C, M], bias and their zero points.
class Sums {
 public:
  static Result<Sums> create(Lowering& lowering, const ProductOperands& operands) {
    MACAW_ASSIGN(auto products, Products::create(lowering.call, operands));
    const DType dtype = lowering.call.inputs[operands.input].value->dtype();
    if (!is_quantized(dtype) && !lowering.is_rounded()) return unsupported_type(dtype);
    MACAW_CHECK(lowering.expect_constant(operands.bias));
    Sums sums(lowering, std::move(products), operands);
    sums.offset_ = dtype == DType::kUINT8 ? 128 : 0;
    if (dtype == DType::kINT16) sums.sum_ = DType::kINT48;
    if (dtype == DType::kFP32) sums.sum_ = DType::kFP32;
    return sums;
  }

  /// The operator's inputs behind the feature map and the weights: bias of channels [first, first + count), zero
  /// points.
  [[nodiscard]] std::vector<ValueId> rest(std::int64_t first, std::int64_t count) const {
    auto& tosa = lowering_.tosa;
    Tensor bias(sum_, {count});
    if (sum_ == DType::kFP32) {
      if (!products_.float_bias().empty())
        std::copy_n(products_.float_bias().begin() + first, count, bias.data<float>().begin());
      return {tosa.constant(std::move(bias)), tosa.number(0), tosa.number(0)};
    }
    for (std::int64_t c = 0; c < count && !products_.bias().empty(); ++c) {
      const auto value = products_.bias()[static_cast<std::size_t>(first + c)];
      if (sum_ == DType::kINT32)
        bias.data<std::int32_t>()[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(value);
      else bias.data<std::int64_t>()[static_cast<std::size_t>(c)] = value;
    }
    return {tosa.constant(std::move(bias)),
            tosa.scalar(sum_ == DType::kINT48 ? DType::kINT16 : DType::kINT8, products_.input_zero() - offset_),
            tosa.scalar(DType::kINT8, products_.filter_zero() - offset_)};
  }

  [[nodiscard]] Result<ValueId> weights() const {
    const auto& floats = products_.dequantised_filter();
    return floats ? add_constant(lowering_.tosa, *floats) : lowering_.input(operands_.filter);
  }

  [[nodiscard]] Attributes attributes(Attributes more) const {
    more.emplace_back(Attr::k_acc_type, static_cast<std::int64_t>(sum_));
    more.emplace_back(Attr::k_local_bound, std::int64_t{0});
    return more;
  }
  [[nodiscard]] DType dtype() const { return sum_; }

  /// Scales sums of `taps` products each and gives output 0.
  Result<void> finish(ValueId sums, std::int64_t taps) {
    if (sum_ == DType::kFP32) return finish_floats(lowering_, sums, operands_.activation);
    MACAW_ASSIGN(const auto scaled, scale(sums, taps));
    return lowering_.output(
        lowering_.tosa.clamp(scaled, products_.range().min - offset_, products_.range().max - offset_));
  }

 private:
  Sums(Lowering& lowering, Products products, const ProductOperands& operands)
      : lowering_(lowering), products_(std::move(products)), operands_(operands) {}

  Result<ValueId> scale(ValueId sums, std::int64_t taps) {
    if (products_.is_wide()) {
      constexpr std::int64_t kMostProduct = 32768 * 128;
      return lowering_.rescale_wide(sums, products_.multipliers(), taps * kMostProduct + largest_bias());
    }
    const Interval values = bounds(taps);
    if (sum_ == DType::kINT48) {
      sums = lowering_.narrow(sums);
      return lowering_.rescale(sums, {.by = products_.multipliers(), .to = DType::kINT16, .values = values});
    }
    return lowering_.rescale(sums, {.by = products_.multipliers(),
                                    .to = DType::kINT8,
                                    .out_zero = products_.output_zero() - offset_,
                                    .values = values});
  }

  /// Limits the sums to what 32 bits hold.
  [[nodiscard]] Interval bounds(std::int64_t taps) const {
    const Operand& in = lowering_.call.inputs[operands_.input];
    const auto largest_of = [](Interval v) { return std::max(-v.min, v.max); };
    const auto x = largest_of(Lowering::offset_values(in, {1, products_.input_zero() - offset_}));
    std::int64_t weight = 128 + std::abs(products_.filter_zero() - offset_);
    const auto bias = largest_bias();
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::int64_t most = taps > kMost / (x * weight) ? kMost : std::min(kMost, taps * x * weight + bias);
    return {-most, most};
  }

  [[nodiscard]] std::int64_t largest_bias() const {
    std::int64_t largest = 0;
    for (const auto bias : products_.bias()) largest = std::max(largest, std::abs(bias));
    return largest;
  }

  Lowering& lowering_;
  Products products_;
  ProductOperands operands_;
  DType sum_ = DType::kINT32;
  std::int32_t offset_ = 0;
};

template <class Options>
Result<Window> window_of(const Tensor& in, const Tensor& filter, const Options& options) {
  Window window;
  const Shape &i = in.shape(), &f = filter.shape();
  MACAW_ASSIGN(window.y, window_axis({i[1], f[1], options.stride_h, options.dilation_h_factor}, options.padding));
  MACAW_ASSIGN(window.x, window_axis({i[2], f[2], options.stride_w, options.dilation_w_factor}, options.padding));
  return window;
}

}  // namespace

Result<void> lower_conv_2d(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::Conv2DOptionsT>();
  auto& tosa = lowering.tosa;
  const Tensor &in = *lowering.call.inputs[0].value, &filter = *lowering.call.inputs[1].value;
  const Shape &out = lowering.call.output().shape(), &f = filter.shape();
  MACAW_ASSIGN(auto sums, Sums::create(lowering, {.channels = f[0],
                                                  .activation = options.fused_activation_function,
                                                  .bias_type = options.quantized_bias_type}));
  MACAW_ASSIGN(const Window window, window_of(in, filter, options));
  MACAW_ASSIGN(auto x, lowering.input(0));
  MACAW_ASSIGN(const auto weights, sums.weights());
  x = window.used(tosa, x);
  const std::int64_t groups = in.shape()[3] / f[3], count = f[0] / groups;
  std::vector<ValueId> parts;
  for (std::int64_t g = 0; g < groups; ++g) {
    Shape size = tosa.shape(x);
    size[3] = f[3];
    const auto part = tosa.slice(x, {0, 0, 0, g * f[3]}, std::move(size));
    std::vector<ValueId> inputs = {part, tosa.slice(weights, {g * count, 0, 0, 0}, {count, f[1], f[2], f[3]})};
    std::ranges::copy(sums.rest(g * count, count), std::back_inserter(inputs));
    parts.push_back(tosa.add(Op::kCONV2D, std::move(inputs), sums.dtype(), {out[0], out[1], out[2], count},
                             sums.attributes(window.convolution_attributes())));
  }
  return sums.finish(tosa.concat(parts, 3), f[1] * f[2] * f[3]);
}

Result<void> lower_depthwise_conv_2d(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::DepthwiseConv2DOptionsT>();
  auto& tosa = lowering.tosa;
  const Tensor &in = *lowering.call.inputs[0].value, &filter = *lowering.call.inputs[1].value;
  const Shape& f = filter.shape();
  MACAW_ASSIGN(auto sums,
               Sums::create(lowering, {.channels = f[3], .axis = 3, .activation = options.fused_activation_function}));
  MACAW_ASSIGN(const Window window, window_of(in, filter, options));
  MACAW_ASSIGN(const auto x, lowering.input(0));
  MACAW_ASSIGN(const auto weights, sums.weights());
  const std::int64_t depth = in.shape()[3];
  std::vector<ValueId> inputs = {window.used(tosa, x), tosa.reshape(weights, {f[1], f[2], depth, f[3] / depth})};
  std::ranges::copy(sums.rest(0, f[3]), std::back_inserter(inputs));
  const auto result = tosa.add(Op::kDEPTHWISE_CONV2D, std::move(inputs), sums.dtype(),
                               Shape(lowering.call.output().shape()), sums.attributes(window.convolution_attributes()));
  return sums.finish(result, f[1] * f[2]);
}

Result<void> lower_transpose_conv(Lowering& lowering) {
  constexpr std::size_t kFilter = 1, kInput = 2, kBias = 3;
  const auto options = lowering.call.options_or_default<schema::TransposeConvOptionsT>();
  auto& tosa = lowering.tosa;
  const Shape &in = lowering.call.inputs[kInput].value->shape(), &f = lowering.call.inputs[kFilter].value->shape(),
              &out = lowering.call.output().shape();
  MACAW_ASSIGN(auto sums, Sums::create(lowering, {.input = kInput,
                                                  .filter = kFilter,
                                                  .bias = kBias,
                                                  .channels = f[0],
                                                  .activation = options.fused_activation_function,
                                                  .bias_type = options.quantized_bias_type}));
  MACAW_ASSIGN(const auto y, window_axis({out[1], f[1], options.stride_h}, options.padding));
  MACAW_ASSIGN(const auto x, window_axis({out[2], f[2], options.stride_w}, options.padding));
  const auto after = [](const WindowAxis& axis, std::int64_t extent) {
    return axis.in - ((extent - 1) * axis.stride + axis.kernel) + axis.pad;
  };
  const std::vector<std::int64_t> pad = {-y.pad, after(y, in[1]), -x.pad, after(x, in[2])};
  if (std::min(pad[0], pad[1]) <= -f[1] || std::min(pad[2], pad[3]) <= -f[2])
    return unsupported("an input beyond what the output's extents ask for");
  MACAW_ASSIGN(const auto values, lowering.input(kInput));
  MACAW_ASSIGN(const auto weights, sums.weights());
  std::vector<ValueId> inputs = {values, weights};
  std::ranges::copy(sums.rest(0, f[0]), std::back_inserter(inputs));
  const auto result =
      tosa.add(Op::kTRANSPOSE_CONV2D, std::move(inputs), sums.dtype(), Shape(out),
               sums.attributes({{Attr::k_out_pad, pad}, {Attr::k_stride, std::vector{y.stride, x.stride}}}));
  return sums.finish(result, f[1] * f[2] * f[3]);
}

/// As a convolution by one element of as many rows.
Result<void> lower_fully_connected(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::FullyConnectedOptionsT>();
  auto& tosa = lowering.tosa;
  const Shape& f = lowering.call.inputs[1].value->shape();
  const std::int64_t channels = f[0], depth = f[1], rows = lowering.call.inputs[0].value->size() / depth;
  MACAW_ASSIGN(auto sums, Sums::create(lowering, {.channels = channels,
                                                  .activation = options.fused_activation_function,
                                                  .bias_type = options.quantized_bias_type,
                                                  .is_fully_connected = true}));
  MACAW_ASSIGN(const auto x, lowering.input(0));
  MACAW_ASSIGN(const auto weights, sums.weights());
  std::vector<ValueId> inputs = {tosa.reshape(x, {1, rows, 1, depth}), tosa.reshape(weights, {channels, 1, 1, depth})};
  std::ranges::copy(sums.rest(0, channels), std::back_inserter(inputs));
  const auto result = tosa.add(Op::kCONV2D, std::move(inputs), sums.dtype(), {1, rows, 1, channels},
                               sums.attributes(Window{}.convolution_attributes()));
  return sums.finish(result, depth);
}

}  // namespace macaw::tflite
