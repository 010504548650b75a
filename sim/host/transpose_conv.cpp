#include "sim/host/quantization.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

// lite/micro/kernels/transpose_conv.cc, lite/kernels/internal/reference/integer_ops/transpose_conv.h and
// lite/kernels/padding.h: int8, or int16 with 64-bit sums; int8 weights. The first input, the shape, is the output's.
namespace macaw::npu::host {
namespace {

enum Input : std::size_t { kShape, kWeights, kInput, kBias };

struct Extents {
  std::int64_t in_height, in_width, depth, out_height, out_width, channels, kernel_height, kernel_width;
  std::int64_t stride_y, stride_x, pad_top, pad_left;
};

/// Rows or columns that the output loses at its start.
std::int64_t padding(bool same, std::int64_t stride, std::int64_t kernel, std::int64_t out) {
  const std::int64_t in = same ? (out + stride - 1) / stride : (out - kernel + stride) / stride;
  return std::max<std::int64_t>((in - 1) * stride + kernel - out, 0) / 2;
}

Result<Extents> extents(const Tensor& in, const Tensor& weights, const Tensor& out,
                        const TransposeConvOptions& option) {
  for (const Tensor* tensor : {&in, &weights, &out})
    if (tensor->rank() != 4) return invalid(fmt::format("an operand of shape {}", macaw::to_string(tensor->shape())));
  if (option.stride_width < 1 || option.stride_height < 1)
    return invalid(fmt::format("strides {} and {}", option.stride_height, option.stride_width));
  const Shape &i = in.shape(), &w = weights.shape(), &o = out.shape();
  if (i[0] != o[0] || i[3] != w[3] || w[0] != o[3])
    return invalid(fmt::format("weights of shape {} from {} to {}", macaw::to_string(w), macaw::to_string(i),
                               macaw::to_string(o)));
  return Extents{i[1],
                 i[2],
                 i[3],
                 o[1],
                 o[2],
                 o[3],
                 w[1],
                 w[2],
                 option.stride_height,
                 option.stride_width,
                 padding(option.same_padding, option.stride_height, w[1], o[1]),
                 padding(option.same_padding, option.stride_width, w[2], o[2])};
}

Result<std::vector<FixedMultiplier>> multipliers(const HostOperator& op, std::int64_t channels, Affine in, Affine out) {
  const auto& weights = op.inputs[kWeights];
  const auto* q = weights.quantization.get();
  if (!q || (q->scale.size() != 1 && q->scale.size() != static_cast<std::size_t>(channels)))
    return invalid(fmt::format("tensor '{}' has no scale, or not one per channel", weights.name));
  if (std::ranges::any_of(q->zero_point, [](auto zero) { return zero != 0; }))
    return unsupported("weights with a zero point");
  std::vector<FixedMultiplier> result;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const double scale = q->scale[q->scale.size() == 1 ? 0 : c];
    MACAW_ASSIGN(const auto multiplier, fixed_multiplier(double{in.scale} * scale / double{out.scale}));
    result.push_back(multiplier);
  }
  return result;
}

Result<std::vector<std::int64_t>> biases(const HostCall& call, std::int64_t channels) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(channels));
  if (call.inputs.size() <= kBias || !call.inputs[kBias]) return result;
  const Tensor& bias = *call.inputs[kBias];
  MACAW_CHECK(expect(bias, Shape{channels}, "the bias"));
  if (bias.dtype() == DType::kINT64 && call.inputs[kInput]->dtype() == DType::kINT16) {
    std::ranges::copy(bias.data<std::int64_t>(), result.begin());
    // The reference multiplies sums of at most 48 bits.
    constexpr std::int64_t kLimit = std::int64_t{1} << 47;
    if (std::ranges::any_of(result, [](auto b) { return b < -kLimit || b >= kLimit; }))
      return unsupported("a bias of more than 48 bits");
    return result;
  }
  MACAW_CHECK(expect(bias, DType::kINT32, "the bias"));
  std::ranges::copy(bias.data<std::int32_t>(), result.begin());
  return result;
}

template <class T>
void accumulate(const Tensor& in, std::int32_t zero_point, const Tensor& weights, const Extents& e,
                std::vector<std::int64_t>& sums) {
  const auto values = in.data<T>();
  const auto kernel = weights.data<std::int8_t>();
  const std::int64_t batches = in.shape()[0];
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t y = 0; y < e.in_height; ++y)
      for (std::int64_t x = 0; x < e.in_width; ++x)
        for (std::int64_t ky = 0; ky < e.kernel_height; ++ky)
          for (std::int64_t kx = 0; kx < e.kernel_width; ++kx) {
            const std::int64_t oy = y * e.stride_y - e.pad_top + ky, ox = x * e.stride_x - e.pad_left + kx;
            if (oy < 0 || oy >= e.out_height || ox < 0 || ox >= e.out_width) continue;
            const auto* from = &values[static_cast<std::size_t>(((b * e.in_height + y) * e.in_width + x) * e.depth)];
            auto* to = &sums[static_cast<std::size_t>(((b * e.out_height + oy) * e.out_width + ox) * e.channels)];
            for (std::int64_t c = 0; c < e.channels; ++c) {
              const auto* w =
                  &kernel[static_cast<std::size_t>(((c * e.kernel_height + ky) * e.kernel_width + kx) * e.depth)];
              for (std::int64_t d = 0; d < e.depth; ++d) to[c] += (std::int64_t{from[d]} - zero_point) * w[d];
            }
          }
}

template <class T>
void finish(const std::vector<std::int64_t>& sums, const std::vector<std::int64_t>& bias,
            const std::vector<FixedMultiplier>& multiplier, std::int32_t zero_point, Range range, Tensor& out) {
  const auto values = out.data<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i % bias.size();
    const std::int64_t sum = sums[i] + bias[c];
    const std::int32_t scaled =
        sizeof(T) == 1 ? scale(static_cast<std::int32_t>(sum), multiplier[c]) : scale_wide(sum, multiplier[c]);
    values[i] = static_cast<T>(std::clamp<std::int64_t>(std::int64_t{scaled} + zero_point, range.min, range.max));
  }
}

}  // namespace

Result<void> transpose_conv(HostCall& call) {
  MACAW_ASSIGN(const auto option, options<TransposeConvOptions>(call));
  MACAW_ASSIGN(const Tensor* weights, input(call, kWeights));
  MACAW_ASSIGN(const Tensor* in, input(call, kInput));
  Tensor& out = call.outputs[0];
  const bool wide = in->dtype() == DType::kINT16;
  if (!wide) MACAW_CHECK(expect(*in, DType::kINT8, "the input"));
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect(*weights, DType::kINT8, "the weights"));
  MACAW_ASSIGN(const Extents e, extents(*in, *weights, out, option));
  MACAW_ASSIGN(const Affine from, affine(call.op.inputs[kInput]));
  MACAW_ASSIGN(const Affine to, affine(call.op.outputs[0]));
  if (wide && (from.zero_point != 0 || to.zero_point != 0)) return unsupported("int16 with a zero point");
  MACAW_ASSIGN(const auto multiplier, multipliers(call.op, e.channels, from, to));
  constexpr int kWideShiftLimit = 8;
  if (wide && std::ranges::any_of(multiplier, [](const auto& m) { return m.shift >= kWideShiftLimit; }))
    return unsupported("int16 with a scale of 128 or more");
  MACAW_ASSIGN(const auto bias, biases(call, e.channels));
  MACAW_ASSIGN(const Range range, activation_range(option.activation, out.dtype(), to));
  MACAW_ASSIGN(const std::int64_t macs, element_count({in->size(), e.kernel_height, e.kernel_width, e.channels}));
  MACAW_CHECK(call.account(macs));
  if (out.size() == 0) return {};
  constexpr std::int64_t kMaxSums = std::int64_t{1} << 26;
  if (out.size() > kMaxSums) return unsupported(fmt::format("an output of {} elements", out.size()));
  std::vector<std::int64_t> sums(static_cast<std::size_t>(out.size()));
  if (macs > 0) {
    if (wide) accumulate<std::int16_t>(*in, from.zero_point, *weights, e, sums);
    else accumulate<std::int8_t>(*in, from.zero_point, *weights, e, sums);
  }
  if (wide) finish<std::int16_t>(sums, bias, multiplier, to.zero_point, range, out);
  else finish<std::int8_t>(sums, bias, multiplier, to.zero_point, range, out);
  return {};
}

}  // namespace macaw::npu::host
