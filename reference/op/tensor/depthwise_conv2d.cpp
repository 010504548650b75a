#include <algorithm>
#include <atomic>

#include "reference/op/gemm/byte_taps.hpp"
#include "reference/op/gemm/overflow.hpp"
#include "reference/op/gemm/taps.hpp"
#include "reference/op/tensor/accumulator.hpp"
#include "reference/op/tensor/dot_product.hpp"
#include "reference/op/tensor/window.hpp"
#include "reference/op/workers.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "[N,IH,IW,C]", 4, 4},
    {Category::kInput, "weight", "weight_t", "[KH,KW,C,M]", 4, 4},
    {Category::kInput, "bias", "out_t", "[BC]", 1, 1},
    {Category::kInput, "input_zp", "in_t", "[1]", 1, 1, false, true},
    {Category::kInput, "weight_zp", "weight_t", "[1]", 1, 1, false, true},
    {Category::kAttribute, "pad", "i32_t", "[4]"},
    {Category::kAttribute, "stride", "i32_t", "[2]"},
    {Category::kAttribute, "dilation", "i32_t", "[2]"},
    {Category::kAttribute, "acc_type", "acc_type_t"},
    {Category::kAttribute, "local_bound", "bool_t"},
    {Category::kOutput, "output", "out_t", "[N,OH,OW,C*M]", 4, 4},
};
constexpr std::string_view kTypes[] = {"in_t", "weight_t", "out_t", "acc_t"};

std::int64_t height(const View& v) { return convolution_output(v, 0, v.in_shape(1)[0]); }
std::int64_t width(const View& v) { return convolution_output(v, 1, v.in_shape(1)[1]); }
/// The weight's element count is below 2^63, so this product is; an empty weight is no exception.
std::int64_t channels(const View& v) {
  const auto product = Wide{v.in_shape(1)[2]} * v.in_shape(1)[3];
  return product == static_cast<std::int64_t>(product) ? static_cast<std::int64_t>(product) : -1;
}

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], height(v), width(v), channels(v)});
}

constexpr Check kChecks[] = {
    {Rule::kLevel, "weight", "dilation * kernel must not exceed the level's MAX_KERNEL",
     [](const View& v) {
       return reach_exceeds_level(v, 0, v.in_shape(1)[0]) || reach_exceeds_level(v, 1, v.in_shape(1)[1]);
     }},
    kPadLevel,
    kStrideLevel,
    {Rule::kErrorIf, "output", "the output must have C * M channels",
     [](const View& v) { return v.out_shape(0)[3] != channels(v); }},
    kInputZeroPoint,
    kWeightZeroPoint,
    kPadNotNegative,
    kStridePositive,
    kDilationPositive,
    {Rule::kErrorIf, "output", kHeightRule, [](const View& v) { return v.out_shape(0)[1] != height(v); }},
    {Rule::kErrorIf, "output", kWidthRule, [](const View& v) { return v.out_shape(0)[2] != width(v); }},
    {Rule::kErrorIf, "bias", "bias must have one element or one for each output channel",
     [](const View& v) { return v.in_shape(2)[0] != 1 && v.in_shape(2)[0] != channels(v); }},
    kSumFits,
};

/// sums[c * multiplier + m] += in[c] * weight[c * multiplier + m], modulo the accumulator's size.
template <class Sum>
void accumulate(const Tap& tap, std::int64_t channels, std::int64_t multiplier, Sum* sums) {
  using U = std::make_unsigned_t<Sum>;
  const auto* weight = tap.weight;
  // A product of 17 by 9 bits fits an int; sums of 48 bits cannot leave 64.
  for (std::int64_t c = 0; c < channels; ++c, weight += multiplier, sums += multiplier)
    for (std::int64_t m = 0; m < multiplier; ++m)
      sums[m] = static_cast<Sum>(static_cast<U>(sums[m]) + static_cast<U>(static_cast<Sum>(tap.in[c] * weight[m])));
}

/// Sums of one output position, in steps that the vector kernel can hold in 32 bits.
template <class Sum>
void sum_all(std::span<const Tap> taps, std::int64_t channels, std::int64_t multiplier, std::span<std::int32_t> part,
             std::span<Sum> sums) {
  if (multiplier != 1) {
    for (const auto& tap : taps) accumulate(tap, channels, multiplier, sums.data());
  } else if constexpr (sizeof(Sum) == 4) {
    sum_taps(taps, sums);
  } else {
    for (std::size_t first = 0; first < taps.size(); first += kExactTaps) {
      sum_taps(taps.subspan(first, std::min(kExactTaps, taps.size() - first)), part);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    }
  }
}

/// One tap after the other; whether every sum on the way fits.
template <class Sum>
bool sum_checked(std::span<const Tap> taps, std::int64_t channels, std::int64_t multiplier, std::span<Sum> sums) {
  std::vector<Sum> products(sums.size());
  bool holds = true;
  for (const auto& tap : taps) {
    std::fill(products.begin(), products.end(), Sum{0});
    accumulate(tap, channels, multiplier, products.data());
    holds &= add_bias(sums.data(), products.data(), 1, sums.size(), sums.data());
  }
  return holds;
}

/// Int8 with one output channel for each input channel, and so few taps that no sum overflows.
class ByteDepthwise {
 public:
  explicit ByteDepthwise(const Call& call)
      : in_(call.in(0).shape()),
        kernel_(call.in(1).shape()),
        out_(call.out(0).shape()),
        pad_(call.attrs(Attr::k_pad)),
        stride_(call.attrs(Attr::k_stride)),
        dilation_(call.attrs(Attr::k_dilation)),
        input_(call.in_data<std::int8_t>(0).data()),
        zero_point_(call.in_data<std::int8_t>(3)[0]),
        taps_(static_cast<std::size_t>(kernel_[0] * kernel_[1])),
        channels_(static_cast<std::size_t>(in_[3])),
        weights_((taps_ + taps_ % 2) * channels_),
        outside_(channels_, zero_point_),
        bias_(channels_),
        scalar_(call.kernels == Kernels::kScalar) {
    const auto* weight = call.in_data<std::int8_t>(1).data();
    const std::int16_t weight_zero_point = call.in_data<std::int8_t>(4)[0];
    for (std::size_t t = 0; t < taps_; ++t)
      for (std::size_t c = 0; c < channels_; ++c)
        weights_[(t / 2 * channels_ + c) * 2 + t % 2] =
            static_cast<std::int16_t>(weight[t * channels_ + c] - weight_zero_point);
    const auto bias = call.in_data<std::int32_t>(2);
    for (std::size_t c = 0; c < channels_; ++c) bias_[c] = bias[bias.size() == 1 ? 0 : c];
  }

  static bool fits(const Call& call) {
    constexpr Wide kGreatestProduct = 255 * 255;
    const auto& kernel = call.in(1).shape();
    return kernel[3] == 1 && kGreatestProduct * kernel[0] * kernel[1] <= kAccumulatorMaximum<std::int8_t>;
  }

  /// Rows [first, end) of all batches' outputs; whether all fit.
  bool run(std::size_t first, std::size_t end, std::int32_t* out) const {
    std::vector<const std::int8_t*> taps(taps_ + taps_ % 2, outside_.data());
    const auto sum = scalar_ ? sum_byte_taps_scalar : sum_byte_taps;
    bool holds = true;
    out += first * static_cast<std::size_t>(out_[2]) * channels_;
    for (; first < end; ++first)
      for (std::int64_t ox = 0; ox < out_[2]; ++ox, out += channels_) {
        find_taps(static_cast<std::int64_t>(first), ox, taps);
        holds &= sum({taps, weights_.data(), zero_point_, bias_.data(), channels_}, out);
      }
    return holds;
  }

 private:
  void find_taps(std::int64_t row, std::int64_t ox, std::vector<const std::int8_t*>& taps) const {
    const auto n = row / out_[1], oy = row % out_[1];
    auto* tap = taps.data();
    for (std::int64_t ky = 0; ky < kernel_[0]; ++ky) {
      const auto y = oy * stride_[0] - pad_[0] + ky * dilation_[0];
      for (std::int64_t kx = 0; kx < kernel_[1]; ++kx) {
        const auto x = ox * stride_[1] - pad_[2] + kx * dilation_[1];
        const bool inside = y >= 0 && y < in_[1] && x >= 0 && x < in_[2];
        *tap++ = inside ? input_ + ((n * in_[1] + y) * in_[2] + x) * in_[3] : outside_.data();
      }
    }
  }

  const Shape &in_, &kernel_, &out_;
  const std::vector<std::int64_t>&pad_, &stride_, &dilation_;
  const std::int8_t* input_;
  std::int8_t zero_point_;
  std::size_t taps_, channels_;
  std::vector<std::int16_t> weights_;
  std::vector<std::int8_t> outside_;
  std::vector<std::int32_t> bias_;
  bool scalar_;
};

template <class In>
Result<void> kernel(Call& call) {
  using Sum = Accumulator<In>;
  const auto &in_shape = call.in(0).shape(), &weight_shape = call.in(1).shape(), &out_shape = call.out(0).shape();
  const auto &pad = call.attrs(Attr::k_pad), &stride = call.attrs(Attr::k_stride),
             &dilation = call.attrs(Attr::k_dilation);
  const auto in_height = in_shape[1], in_width = in_shape[2], channels = in_shape[3], multiplier = weight_shape[3];
  const auto out_channels = out_shape[3];
  const auto input = call.in_data<In>(0);
  const auto weight = call.in_data<std::int8_t>(1);
  const auto bias = call.in_data<Sum>(2);
  std::vector<std::int16_t> values(input.size()), weights(weight.size());
  subtract_zero_point(input, call.in_data<In>(3)[0], values.data());
  subtract_zero_point(weight, call.in_data<std::int8_t>(4)[0], weights.data());
  const bool safe =
      Wide{largest(values)} * largest(weights) * weight_shape[0] * weight_shape[1] <= kAccumulatorMaximum<In>;

  bool holds = true;
  std::vector<Tap> taps;
  std::vector<Sum> sums(static_cast<std::size_t>(out_channels));
  std::vector<std::int32_t> part(sums.size());
  auto* out = call.out_data<Sum>(0).data();
  for (std::int64_t n = 0; n < out_shape[0]; ++n)
    for (std::int64_t oy = 0; oy < out_shape[1]; ++oy)
      for (std::int64_t ox = 0; ox < out_shape[2]; ++ox, out += out_channels) {
        taps.clear();
        for (std::int64_t ky = 0; ky < weight_shape[0]; ++ky) {
          const auto y = oy * stride[0] - pad[0] + ky * dilation[0];
          if (y < 0 || y >= in_height) continue;
          for (std::int64_t kx = 0; kx < weight_shape[1]; ++kx) {
            const auto x = ox * stride[1] - pad[2] + kx * dilation[1];
            if (x < 0 || x >= in_width) continue;
            taps.push_back({values.data() + ((n * in_height + y) * in_width + x) * channels,
                            weights.data() + (ky * weight_shape[1] + kx) * out_channels});
          }
        }
        std::fill(sums.begin(), sums.end(), Sum{0});
        if (safe) sum_all<Sum>(taps, channels, multiplier, part, sums);
        else holds &= sum_checked<Sum>(taps, channels, multiplier, sums);
        holds &= add_bias(sums.data(), bias.data(), bias.size() == 1 ? 0 : 1, sums.size(), out);
      }
  call.require(holds, kSumFits);
  return {};
}

Result<void> byte_kernel(Call& call) {
  if (!ByteDepthwise::fits(call)) return kernel<std::int8_t>(call);
  const ByteDepthwise depthwise(call);
  auto* out = call.fill_data<std::int32_t>(0).data();
  const auto& shape = call.out(0).shape();
  const auto& kernel_shape = call.in(1).shape();
  const auto row_work = Wide{shape[2]} * shape[3] * kernel_shape[0] * kernel_shape[1];
  constexpr Wide kLeastWork = 1 << 18;  // multiply-accumulates that are worth a thread's while
  std::atomic<bool> holds = true;
  split(call, static_cast<std::size_t>(shape[0] * shape[1]),
        static_cast<std::size_t>(kLeastWork / std::max<Wide>(row_work, 1)) + 1,
        [&](std::size_t first, std::size_t end) {
          if (!depthwise.run(first, end, out)) holds = false;
        });
  call.require(holds, kSumFits);
  return {};
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    const auto &in_shape = call.in(0).shape(), &weight_shape = call.in(1).shape(), &out_shape = call.out(0).shape();
    const auto &pad = call.attrs(Attr::k_pad), &stride = call.attrs(Attr::k_stride),
               &dilation = call.attrs(Attr::k_dilation);
    const auto channels = in_shape[3], multiplier = weight_shape[3], out_channels = out_shape[3];
    const ConvolutionOperands<T> operands(call);
    const std::vector<T> zeros(static_cast<std::size_t>(channels));
    const bool all = multiplies_padding(call);
    FloatOutput<T> output(call.out(0));
    auto* out = output.data();
    for (std::int64_t n = 0; n < out_shape[0]; ++n)
      for (std::int64_t oy = 0; oy < out_shape[1]; ++oy)
        for (std::int64_t ox = 0; ox < out_shape[2]; ++ox, out += out_channels) {
          for (std::int64_t ky = 0; ky < weight_shape[0]; ++ky) {
            const auto y = oy * stride[0] - pad[0] + ky * dilation[0];
            for (std::int64_t kx = 0; kx < weight_shape[1]; ++kx) {
              const auto x = ox * stride[1] - pad[2] + kx * dilation[1];
              const bool inside = y >= 0 && y < in_shape[1] && x >= 0 && x < in_shape[2];
              if (!inside && !all) continue;
              const auto* in =
                  inside ? operands.input.data() + ((n * in_shape[1] + y) * in_shape[2] + x) * channels : zeros.data();
              const auto* weight = operands.weight.data() + (ky * weight_shape[1] + kx) * out_channels;
              if (multiplier == 1) {
                for (std::int64_t c = 0; c < channels; ++c) out[c] += in[c] * weight[c];
              } else {
                for (std::int64_t c = 0; c < out_channels; ++c) out[c] += in[c / multiplier] * weight[c];
              }
            }
          }
          const std::size_t bias_step = operands.bias.size() == 1 ? 0 : 1;
          for (std::int64_t c = 0; c < out_channels; ++c)
            out[c] += operands.bias[bias_step * static_cast<std::size_t>(c)];
        }
    return {};
  }
};

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT8, DType::kINT32, DType::kINT32}, kInProInt, 0, byte_kernel},
    {{DType::kINT8, DType::kINT4, DType::kINT32, DType::kINT32}, kInExtInt4, 0, byte_kernel},
    {{DType::kINT16, DType::kINT8, DType::kINT48, DType::kINT48}, kInExtInt16, 0, kernel<std::int16_t>},
    {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP16, DType::kFP16}, kInExtFp8E4M3, 0, float_kernel<Float>},
    {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP16, DType::kFP16}, kInExtFp8E5M2, 0, float_kernel<Float>},
    {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP32, DType::kFP32}, kInExtFp8E4M3, 1, float_kernel<Float>},
    {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP32, DType::kFP32}, kInExtFp8E5M2, 1, float_kernel<Float>},
    {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16}, kInProFp, 0, float_kernel<Float>},
    {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP32}, kInProFp, 0, float_kernel<Float>},
    {{DType::kBF16, DType::kBF16, DType::kBF16, DType::kFP32}, kInExtBf16, 0, float_kernel<Float>},
    {{DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32}, kInProFp, 0, float_kernel<Float>},
};

}  // namespace

extern constexpr Definition kDEPTHWISE_CONV2D = {Op::kDEPTHWISE_CONV2D, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
