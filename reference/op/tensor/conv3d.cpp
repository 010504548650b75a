#include "reference/fast/float_operand.hpp"
#include "reference/fast/window/accumulator.hpp"
#include "reference/fast/window/dense.hpp"
#include "reference/op/tensor/conv_types.hpp"
#include "reference/op/tensor/window.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "[N,ID,IH,IW,IC]", 5, 5},
    {Category::kInput, "weight", "weight_t", "[OC,KD,KH,KW,IC]", 5, 5},
    {Category::kInput, "bias", "out_t", "[BC]", 1, 1},
    {Category::kInput, "input_zp", "in_zp_t", "[1]", 1, 1, false, true},
    {Category::kInput, "weight_zp", "weight_zp_t", "[1]", 1, 1, false, true},
    {Category::kAttribute, "pad", "i32_t", "[6]"},
    {Category::kAttribute, "stride", "i32_t", "[3]"},
    {Category::kAttribute, "dilation", "i32_t", "[3]"},
    {Category::kAttribute, "acc_type", "acc_type_t"},
    {Category::kAttribute, "local_bound", "bool_t"},
    {Category::kOutput, "output", "out_t", "[N,OD,OH,OW,OC]", 5, 5},
};

template <std::size_t kAxis>
std::int64_t extent(const View& v) {
  return convolution_output(v, kAxis, v.in_shape(1)[kAxis + 1]);
}

template <std::size_t kAxis>
bool wrong_extent(const View& v) {
  return v.out_shape(0)[kAxis + 1] != extent<kAxis>(v);
}

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], extent<0>(v), extent<1>(v), extent<2>(v), v.in_shape(1)[0]});
}

constexpr Check kChecks[] = {
    {Rule::kLevel, "weight", "dilation * kernel must not exceed the level's MAX_KERNEL",
     [](const View& v) {
       return reach_exceeds_level(v, 0, v.in_shape(1)[1]) || reach_exceeds_level(v, 1, v.in_shape(1)[2]) ||
              reach_exceeds_level(v, 2, v.in_shape(1)[3]);
     }},
    kPadLevel,
    kStrideLevel,
    kInputZeroPoint,
    kWeightZeroPoint,
    kPadNotNegative,
    kStridePositive,
    kDilationPositive,
    {Rule::kErrorIf, "output",
     "the output depth must be (input depth + padding - window) / stride + 1, without a remainder", wrong_extent<0>},
    {Rule::kErrorIf, "output", kHeightRule, wrong_extent<1>},
    {Rule::kErrorIf, "output", kWidthRule, wrong_extent<2>},
    {Rule::kErrorIf, "bias", "bias must have one element or one for each output channel",
     [](const View& v) { return v.in_shape(2)[0] != 1 && v.in_shape(2)[0] != v.out_shape(0)[4]; }},
    split_block_in<0>("input"),
    split_block_in<1>("weight"),
    kSumFits,
};

DenseConvolution convolution_of(const Call& call) {
  const auto &in = call.in(0).shape(), &weight = call.in(1).shape(), &out = call.out(0).shape();
  const auto &pad = call.attrs(Attr::k_pad), &stride = call.attrs(Attr::k_stride),
             &dilation = call.attrs(Attr::k_dilation);
  DenseConvolution convolution{in[0], in[4], out[4], {}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    convolution.axes[axis] =
        convolution_axis(in[axis + 1], weight[axis + 1], out[axis + 1], pad[2 * axis], stride[axis], dilation[axis]);
  return convolution;
}

template <class In>
Result<void> kernel(Call& call) {
  const auto convolution = convolution_of(call);
  dense_convolution<In>(call, {&convolution, 1});
  return {};
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    const auto convolution = convolution_of(call);
    float_convolution<T>(call, {&convolution, 1});
    return {};
  }
};

constexpr TypeRow kSameTypes[] = {
    MACAW_INTEGER_CONVOLUTION_ROWS(kernel<std::int8_t>, kernel<std::int16_t>),
    MACAW_FLOAT_CONVOLUTION_ROWS(float_kernel<Float>),
};
constexpr auto kRows = join_rows(kSameTypes, mixed_convolution_rows(float_kernel<Float>));

}  // namespace

extern constexpr Definition kCONV3D = {Op::kCONV3D, kArguments, kConvolutionTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
