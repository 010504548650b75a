#include <limits>

#include "reference/tosa/kernels/float_operand.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/dense.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/tensor/conv_types.hpp"
#include "reference/tosa/op/tensor/sum.hpp"
#include "reference/tosa/op/tensor/window.hpp"

namespace macaw::tosa::TRANSPOSE_CONV2D {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("[N,IH,IW,IC]").rank(4),
    input("weight").type("weight_t").shape("[OC,KH,KW,IC]").rank(4),
    input("bias").type("out_t").shape("[BC]").rank(1),
    input("input_zp").type("in_zp_t").shape("[1]").rank(1).compile_time_constant(),
    input("weight_zp").type("weight_zp_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("out_pad").type("i32_t").shape("[4]"),
    attribute("stride").type("i32_t").shape("[2]"),
    attribute("acc_type").type("acc_type_t"),
    attribute("local_bound").type("bool_t"),
    output("output").type("out_t").shape("[N,OH,OW,OC]").rank(4),
};
using V = ViewOf<kArguments>;

/// -1 if it is not positive or too large to be an extent.
std::int64_t extent(const V& v, std::size_t axis, std::int64_t in, std::int64_t kernel) {
  const auto& pad = v.attrs(Attr::k_out_pad);
  const auto value = (Wide{in} - 1) * v.attrs(Attr::k_stride)[axis] + pad[2 * axis] + pad[2 * axis + 1] + kernel;
  return value < 1 || value > std::numeric_limits<std::int64_t>::max() ? -1 : static_cast<std::int64_t>(value);
}
std::int64_t height(const V& v) { return extent(v, 0, v.dim("IH"), v.dim("KH")); }
std::int64_t width(const V& v) { return extent(v, 1, v.dim("IW"), v.dim("KW")); }
bool pad_swallows_kernel(const V& v, std::size_t axis, std::int64_t kernel) {
  const auto& pad = v.attrs(Attr::k_out_pad);
  return pad[2 * axis] <= -kernel || pad[2 * axis + 1] <= -kernel;
}

Result<std::vector<Shape>> shapes(const V& v) { return window_shape({v.dim("N"), height(v), width(v), v.dim("OC")}); }

constexpr Check kChecks[] = {
    level("weight", "the kernel must not exceed the level's MAX_KERNEL",
          [](const V& v) { return v.dim("KH") <= v.level.max_kernel && v.dim("KW") <= v.level.max_kernel; }),
    level("out_pad", "out_pad must not exceed the level's MAX_KERNEL",
          [](const V& v) { return !any_above(v, Attr::k_out_pad, v.level.max_kernel); }),
    kStrideLevel,
    kInputZeroPoint<V>,
    kWeightZeroPoint<V>,
    error_if("out_pad", "out_pad at the top and bottom must be greater than minus the kernel height",
             [](const V& v) { return pad_swallows_kernel(v, 0, v.dim("KH")); }),
    error_if("out_pad", "out_pad at the left and right must be greater than minus the kernel width",
             [](const V& v) { return pad_swallows_kernel(v, 1, v.dim("KW")); }),
    kStridePositive,
    error_if("output", "the output height must be (input height - 1) * stride + out_pad + kernel height",
             [](const V& v) { return v.dim("OH") != height(v); }),
    error_if("output", "the output width must be (input width - 1) * stride + out_pad + kernel width",
             [](const V& v) { return v.dim("OW") != width(v); }),
    error_if("bias", "bias must have one element or one for each output channel",
             [](const V& v) { return v.dim("BC") != 1 && v.dim("BC") != v.dim("OC"); }),
    kSplitBlock<V, "input">,
    kSplitBlock<V, "weight">,
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

/// pseudocode/operators/TRANSPOSE_CONV2D.tosac
template <class In>
void transpose_conv2d(Call& call) {
  const Elements<const In, 4> input(call.in(0));
  const Elements<const std::int8_t, 4> weight(call.in(1));
  const Elements<const Accumulator<In>, 1> bias(call.in(2));
  const auto input_zp = zero_point<In>(call, 3), weight_zp = zero_point<std::int8_t>(call, 4);
  const auto &out_pad = call.attrs(Attr::k_out_pad), &stride = call.attrs(Attr::k_stride);
  const Elements<Accumulator<In>, 4> output(call.out(0));
  const auto [N, IH, IW, IC] = input.extents();
  const auto [OC, KH, KW, same_IC] = weight.extents();
  for_each_position(output.extents(), [&](const auto& at) { output[at] = bias[{bias.extents()[0] == 1 ? 0 : at[3]}]; });
  bool fits = true;
  for_each_position(std::array{N, IH, IW, OC, IC, KH, KW}, [&](const auto& at) {
    const auto [n, iy, ix, oc, ic, ky, kx] = at;
    const auto oy = iy * stride[0] + out_pad[0] + ky, ox = ix * stride[1] + out_pad[2] + kx;
    if (!output.contains({n, oy, ox, oc})) return;
    Sum<Accumulator<In>> acc(output[{n, oy, ox, oc}]);
    acc.add((input[{n, iy, ix, ic}] - input_zp) * (weight[{oc, ky, kx, ic}] - weight_zp));
    output[{n, oy, ox, oc}] = acc.value();
    fits &= acc.fits();
  });
  call.require(fits, kSumFits);
}

template <class In>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) {
    transpose_conv2d<In>(call);
    return {};
  }
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
    MACAW_INTEGER_CONVOLUTION_ROWS(false, kernel<std::int8_t>, kernel<std::int16_t>),
    MACAW_FLOAT_CONVOLUTION_ROWS(float_kernel<Float>),
};
constexpr auto kRows = join_rows(kSameTypes, mixed_convolution_rows(float_kernel<Float>));

}  // namespace

extern constexpr Definition kDefinition = {Op::kTRANSPOSE_CONV2D, kArguments, kConvolutionTypes, kRows, kChecks,
                                           named<shapes>};

}  // namespace macaw::tosa::TRANSPOSE_CONV2D
