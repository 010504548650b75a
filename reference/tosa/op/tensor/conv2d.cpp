#include "reference/tosa/kernels/float_operand.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/dense.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/tensor/conv_types.hpp"
#include "reference/tosa/op/tensor/sum.hpp"
#include "reference/tosa/op/tensor/window.hpp"

namespace macaw::tosa::CONV2D {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("[N,IH,IW,IC]").rank(4),
    input("weight").type("weight_t").shape("[OC,KH,KW,IC]").rank(4),
    input("bias").type("out_t").shape("[BC]").rank(1),
    input("input_zp").type("in_zp_t").shape("[1]").rank(1).compile_time_constant(),
    input("weight_zp").type("weight_zp_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("pad").type("i32_t").shape("[4]"),
    attribute("stride").type("i32_t").shape("[2]"),
    attribute("dilation").type("i32_t").shape("[2]"),
    attribute("acc_type").type("acc_type_t"),
    attribute("local_bound").type("bool_t"),
    output("output").type("out_t").shape("[N,OH,OW,OC]").rank(4),
};
using V = ViewOf<kArguments>;

std::int64_t height(const V& v) { return convolution_output(v, 0, v.dim("IH"), v.dim("KH")); }
std::int64_t width(const V& v) { return convolution_output(v, 1, v.dim("IW"), v.dim("KW")); }

Result<std::vector<Shape>> shapes(const V& v) { return window_shape({v.dim("N"), height(v), width(v), v.dim("OC")}); }

constexpr Check kChecks[] = {
    level("weight", "dilation * kernel must not exceed the level's MAX_KERNEL",
          [](const V& v) { return within_level(v, 0, v.dim("KH")) && within_level(v, 1, v.dim("KW")); }),
    kPadLevel,
    kStrideLevel,
    kInputZeroPoint<V>,
    kWeightZeroPoint<V>,
    kPadNotNegative,
    kStridePositive,
    kDilationPositive,
    error_if("output", kHeightRule, [](const V& v) { return v.dim("OH") != height(v); }),
    error_if("output", kWidthRule, [](const V& v) { return v.dim("OW") != width(v); }),
    error_if("bias", "bias must have one element or one for each output channel",
             [](const V& v) { return v.dim("BC") != 1 && v.dim("BC") != v.dim("OC"); }),
    kSplitBlock<V, "input">,
    kSplitBlock<V, "weight">,
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

/// pseudocode/operators/CONV2D.tosac
template <class In>
void conv2d(Call& call) {
  const Elements<const In, 4> input(call.in(0));
  const Elements<const std::int8_t, 4> weight(call.in(1));
  const Elements<const Accumulator<In>, 1> bias(call.in(2));
  const auto input_zp = zero_point<In>(call, 3), weight_zp = zero_point<std::int8_t>(call, 4);
  const auto &pad = call.attrs(Attr::k_pad), &stride = call.attrs(Attr::k_stride),
             &dilation = call.attrs(Attr::k_dilation);
  const Elements<Accumulator<In>, 4> output(call.out(0));
  const auto [OC, KH, KW, IC] = weight.extents();
  const std::array kernel{KH, KW, IC};
  bool fits = true;
  for_each_position(output.extents(), [&](const auto& at) {
    const auto [n, oy, ox, oc] = at;
    Sum<Accumulator<In>> acc;
    for_each_position(kernel, [&](const auto& tap) {
      const auto [ky, kx, ic] = tap;
      const auto y = oy * stride[0] - pad[0] + ky * dilation[0], x = ox * stride[1] - pad[2] + kx * dilation[1];
      if (input.contains({n, y, x, ic}))
        acc.add((input[{n, y, x, ic}] - input_zp) * (weight[{oc, ky, kx, ic}] - weight_zp));
    });
    acc.add(bias[{bias.extents()[0] == 1 ? 0 : oc}]);
    output[at] = acc.value();
    fits &= acc.fits();
  });
  call.require(fits, kSumFits);
}

template <class In>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) {
    conv2d<In>(call);
    return {};
  }
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
    MACAW_INTEGER_CONVOLUTION_ROWS(true, kernel<std::int8_t>, kernel<std::int16_t>),
    MACAW_FLOAT_CONVOLUTION_ROWS(float_kernel<Float>),
};
constexpr auto kRows = join_rows(kSameTypes, mixed_convolution_rows(float_kernel<Float>));

}  // namespace

extern constexpr Definition kDefinition = {Op::kCONV2D, kArguments, kConvolutionTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::CONV2D
