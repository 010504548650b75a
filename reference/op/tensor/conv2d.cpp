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
    {Category::kAttribute, "pad", "i32_t", "[4]"},
    {Category::kAttribute, "stride", "i32_t", "[2]"},
    {Category::kAttribute, "dilation", "i32_t", "[2]"},
    {Category::kAttribute, "acc_type", "acc_type_t"},
    {Category::kAttribute, "local_bound", "bool_t"},
    {Category::kOutput, "output", "out_t", "[N,OH,OW,OC]", 4, 4},
};

std::int64_t height(const View& v) { return convolution_output(v, 0, v.in_shape(1)[1]); }
std::int64_t width(const View& v) { return convolution_output(v, 1, v.in_shape(1)[2]); }

Result<std::vector<Shape>> shapes(const View& v) {
  return window_shape({v.in_shape(0)[0], height(v), width(v), v.in_shape(1)[0]});
}

constexpr Check kChecks[] = {
    {Rule::kLevel, "weight", "dilation * kernel must not exceed the level's MAX_KERNEL",
     [](const View& v) {
       return reach_exceeds_level(v, 0, v.in_shape(1)[1]) || reach_exceeds_level(v, 1, v.in_shape(1)[2]);
     }},
    kPadLevel,
    kStrideLevel,
    kInputZeroPoint,
    kWeightZeroPoint,
    kPadNotNegative,
    kStridePositive,
    kDilationPositive,
    {Rule::kErrorIf, "output", kHeightRule, [](const View& v) { return v.out_shape(0)[1] != height(v); }},
    {Rule::kErrorIf, "output", kWidthRule, [](const View& v) { return v.out_shape(0)[2] != width(v); }},
    {Rule::kErrorIf, "bias", "bias must have one element or one for each output channel",
     [](const View& v) { return v.in_shape(2)[0] != 1 && v.in_shape(2)[0] != v.out_shape(0)[3]; }},
    split_block_in<0>("input"),
    split_block_in<1>("weight"),
    kSumFits,
};

DenseConvolution convolution_of(const Call& call) {
  const auto &in = call.in(0).shape(), &weight = call.in(1).shape(), &out = call.out(0).shape();
  const auto &pad = call.attrs(Attr::k_pad), &stride = call.attrs(Attr::k_stride),
             &dilation = call.attrs(Attr::k_dilation);
  return {in[0],
          in[3],
          out[3],
          {GatherAxis{}, convolution_axis(in[1], weight[1], out[1], pad[0], stride[0], dilation[0]),
           convolution_axis(in[2], weight[2], out[2], pad[2], stride[1], dilation[1])}};
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

extern constexpr Definition kCONV2D = {Op::kCONV2D, kArguments, kConvolutionTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
