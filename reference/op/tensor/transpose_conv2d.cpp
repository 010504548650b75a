#include <limits>

#include "reference/fast/float_operand.hpp"
#include "reference/fast/window/accumulator.hpp"
#include "reference/fast/window/dense.hpp"
#include "reference/op/tensor/conv_types.hpp"
#include "reference/op/tensor/window.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "[N,IH,IW,IC]", 4, 4},
    {Category::kInput, "weight", "weight_t", "[OC,KH,KW,IC]", 4, 4},
    {Category::kInput, "bias", "out_t", "[BC]", 1, 1},
    {Category::kInput, "input_zp", "in_zp_t", "[1]", 1, 1, false, true},
    {Category::kInput, "weight_zp", "weight_zp_t", "[1]", 1, 1, false, true},
    {Category::kAttribute, "out_pad", "i32_t", "[4]"},
    {Category::kAttribute, "stride", "i32_t", "[2]"},
    {Category::kAttribute, "acc_type", "acc_type_t"},
    {Category::kAttribute, "local_bound", "bool_t"},
    {Category::kOutput, "output", "out_t", "[N,OH,OW,OC]", 4, 4},
};

/// -1 if it is not positive or too large to be an extent.
template <std::size_t kAxis>
std::int64_t extent(const View& v) {
  const auto& pad = v.attrs(Attr::k_out_pad);
  const auto value = (Wide{v.in_shape(0)[kAxis + 1]} - 1) * v.attrs(Attr::k_stride)[kAxis] + pad[2 * kAxis] +
                     pad[2 * kAxis + 1] + v.in_shape(1)[kAxis + 1];
  return value < 1 || value > std::numeric_limits<std::int64_t>::max() ? -1 : static_cast<std::int64_t>(value);
}

template <std::size_t kAxis>
bool wrong_extent(const View& v) {
  return v.out_shape(0)[kAxis + 1] != extent<kAxis>(v);
}

template <std::size_t kAxis>
bool pad_swallows_kernel(const View& v) {
  const auto& pad = v.attrs(Attr::k_out_pad);
  const auto kernel = v.in_shape(1)[kAxis + 1];
  return pad[2 * kAxis] <= -kernel || pad[2 * kAxis + 1] <= -kernel;
}

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], extent<0>(v), extent<1>(v), v.in_shape(1)[0]});
}

constexpr Check kChecks[] = {
    {Rule::kLevel, "weight", "the kernel must not exceed the level's MAX_KERNEL",
     [](const View& v) { return v.in_shape(1)[1] > v.level.max_kernel || v.in_shape(1)[2] > v.level.max_kernel; }},
    {Rule::kLevel, "out_pad", "out_pad must not exceed the level's MAX_KERNEL",
     [](const View& v) { return any_above(v, Attr::k_out_pad, v.level.max_kernel); }},
    kStrideLevel,
    kInputZeroPoint,
    kWeightZeroPoint,
    {Rule::kErrorIf, "out_pad", "out_pad at the top and bottom must be greater than minus the kernel height",
     pad_swallows_kernel<0>},
    {Rule::kErrorIf, "out_pad", "out_pad at the left and right must be greater than minus the kernel width",
     pad_swallows_kernel<1>},
    kStridePositive,
    {Rule::kErrorIf, "output", "the output height must be (input height - 1) * stride + out_pad + kernel height",
     wrong_extent<0>},
    {Rule::kErrorIf, "output", "the output width must be (input width - 1) * stride + out_pad + kernel width",
     wrong_extent<1>},
    {Rule::kErrorIf, "bias", "bias must have one element or one for each output channel",
     [](const View& v) { return v.in_shape(2)[0] != 1 && v.in_shape(2)[0] != v.out_shape(0)[3]; }},
    split_block_in<0>("input"),
    split_block_in<1>("weight"),
    kSumFits,
};

/// Outputs at one place modulo the stride all sum the same taps, one input position apart: each such phase is a
/// convolution of stride 1.
std::vector<GatherAxis> phases(std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t pad,
                               std::int64_t stride) {
  std::vector<GatherAxis> axes;
  for (std::int64_t phase = 0; phase < stride && phase < out; ++phase) {
    GatherAxis axis{in, kernel, out, phase, stride, (out - phase - 1) / stride + 1, 1, {}};
    auto first = (phase - pad) % stride;
    if (first < 0) first += stride;
    for (auto k = first; k < kernel; k += stride) axis.taps.push_back({k, (phase - pad - k) / stride});
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<DenseConvolution> convolutions_of(const Call& call) {
  const auto &in = call.in(0).shape(), &weight = call.in(1).shape(), &out = call.out(0).shape();
  const auto &pad = call.attrs(Attr::k_out_pad), &stride = call.attrs(Attr::k_stride);
  std::vector<DenseConvolution> convolutions;
  for (const auto& height : phases(in[1], weight[1], out[1], pad[0], stride[0]))
    for (const auto& width : phases(in[2], weight[2], out[2], pad[2], stride[1]))
      convolutions.push_back({in[0], in[3], out[3], {GatherAxis{}, height, width}});
  return convolutions;
}

template <class In>
Result<void> kernel(Call& call) {
  dense_convolution<In>(call, convolutions_of(call));
  return {};
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    float_convolution<T>(call, convolutions_of(call));
    return {};
  }
};

constexpr TypeRow kSameTypes[] = {
    MACAW_INTEGER_CONVOLUTION_ROWS(kernel<std::int8_t>, kernel<std::int16_t>),
    MACAW_FLOAT_CONVOLUTION_ROWS(float_kernel<Float>),
};
constexpr auto kRows = join_rows(kSameTypes, mixed_convolution_rows(float_kernel<Float>));

}  // namespace

extern constexpr Definition kTRANSPOSE_CONV2D = {
    Op::kTRANSPOSE_CONV2D, kArguments, kConvolutionTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
