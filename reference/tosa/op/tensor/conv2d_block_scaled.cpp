#include "reference/tosa/kernels/window/block_scaled_convolution.hpp"
#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/tensor/window.hpp"

// CONV2D_BLOCK_SCALED: CONV2D of values with scales along the channels. Padding, stride and dilation are inputs.

namespace macaw::tosa::CONV2D_BLOCK_SCALED {
namespace {

/// pseudocode/operators/CONV2D_BLOCK_SCALED.tosac. What is outside the input is zero, with a scale of one: a weight
/// that is NaN counts there in a run for bounds only, its scale always.
template <class T>
void conv2d(const Call& call) {
  const auto operand = [&](std::size_t i) { return FloatInput<T>(call.in(i), magnitudes_of_operand(call)); };
  const FloatInput<T> input(call.in(0), magnitudes_of_input(call)), bias(call.in(4), magnitudes_of_operand(call));
  const auto input_scale = operand(1), weight = operand(2), weight_scale = operand(3);
  const auto pad = call.in_data<std::int64_t>(5), stride = call.in_data<std::int64_t>(6),
             dilation = call.in_data<std::int64_t>(7);
  const auto &in = call.in(0).shape(), &kernel = call.in(2).shape(), &out = call.out(0).shape();
  const auto IC = in[3], OC = out[3], block = call.attr(Attr::k_block_size);
  Scratch<T> output(static_cast<std::size_t>(call.out(0).size()));
  for_each_position(std::array{out[0], out[1], out[2], OC}, [&](const auto& at) {
    const auto [n, oy, ox, oc] = at;
    T acc = 0;
    for_each_position(std::array{kernel[1], kernel[2], IC / block}, [&](const auto& tap) {
      const auto [ky, kx, b] = tap;
      const auto y = oy * stride[0] - pad[0] + ky * dilation[0], x = ox * stride[1] - pad[2] + kx * dilation[1];
      const bool inside = y >= 0 && y < in[1] && x >= 0 && x < in[2];
      const auto value = ((n * in[1] + y) * in[2] + x) * IC,
                 coefficient = ((oc * kernel[1] + ky) * kernel[2] + kx) * IC;
      T sum = 0;
      if (inside || multiplies_padding(call))
        for (auto ic = b * block; ic < (b + 1) * block; ++ic)
          sum += (inside ? input[value + ic] : T{0}) * weight[coefficient + ic];
      acc += sum * ((inside ? input_scale[value / block + b] : T{1}) * weight_scale[coefficient / block + b]);
    });
    output[((n * out[1] + oy) * out[2] + ox) * OC + oc] = acc + bias[bias.size() == 1 ? 0 : oc];
  });
  store_floats<T>(output.span(), call.out(0));
}

struct Convolution {
  template <class T>
  static Result<void> run(Call& call) {
    if (call.kernels == Kernels::kScalar) conv2d<T>(call);
    else block_scaled::convolution<T>(call);
    return {};
  }
};

constexpr Argument kArguments[] = {
    input("input_data").type("in_t").shape("[N,IH,IW,IC]").rank(4),
    input("input_scale").type("scale_t").shape("[N,IH,IW,IC/block_size]").rank(4),
    input("weight_data").type("weight_t").shape("[OC,KH,KW,IC]").rank(4),
    input("weight_scale").type("scale_t").shape("[OC,KH,KW,IC/block_size]").rank(4),
    input("bias").type("out_t").shape("[BC]").rank(1),
    input("pad").type("shape_t").shape("[4]").rank(1).compile_time_constant(),
    input("stride").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    input("dilation").type("shape_t").shape("[2]").rank(1).compile_time_constant(),
    attribute("block_size").type("block_size_t"),
    output("output").type("out_t").shape("[N,OH,OW,OC]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "scale_t", "weight_t", "out_t"};

constexpr auto kRows = block_scaled_rows<5>([](BlockScaledType type) {
  return row({type.values, kFP8UE8M0, type.values, kFP32})
      .in(kExtMxfpConv, type.extension, kExtMxCommon)
      .since(1, 1)
      .by(float_kernel<Convolution>);
});
static_assert(kBlockScaledTypes[5].values == kMXINT8, "the one that CONV2D_BLOCK_SCALED does not have");

std::int64_t extent(const V& v, std::size_t axis, std::int64_t in, std::int64_t kernel) {
  const auto pad = v.ints("pad"), stride = v.ints("stride"), dilation = v.ints("dilation");
  const auto reach = (Wide{kernel} - 1) * dilation[axis] + 1;
  return window_output(in, Wide{pad[2 * axis]} + pad[2 * axis + 1], reach, stride[axis]);
}

std::int64_t height(const V& v) { return extent(v, 0, v.dim("IH"), v.dim("KH")); }
std::int64_t width(const V& v) { return extent(v, 1, v.dim("IW"), v.dim("KW")); }

constexpr auto kGeometry = V::reads("pad", "stride", "dilation");
constexpr Check kChecks[] = {
    level("weight_data", "dilation * kernel must not exceed the level's MAX_KERNEL",
          [](const V& v) {
            const auto dilation = v.ints("dilation");
            return Wide{v.dim("KH")} * dilation[0] <= v.level.max_kernel &&
                   Wide{v.dim("KW")} * dilation[1] <= v.level.max_kernel;
          })
        .reads("dilation"),
    level("pad", "pad must not exceed the level's MAX_KERNEL",
          [](const V& v) { return std::ranges::max(v.ints("pad")) <= v.level.max_kernel; })
        .reads("pad"),
    level("stride", "stride must not exceed the level's MAX_STRIDE",
          [](const V& v) { return std::ranges::max(v.ints("stride")) <= v.level.max_stride; })
        .reads("stride"),
    error_if("pad", "pad must not be negative", [](const V& v) { return std::ranges::min(v.ints("pad")) < 0; })
        .reads("pad"),
    error_if("stride", "stride must be at least 1", [](const V& v) { return std::ranges::min(v.ints("stride")) < 1; })
        .reads("stride"),
    error_if("dilation", "dilation must be at least 1",
             [](const V& v) { return std::ranges::min(v.ints("dilation")) < 1; })
        .reads("dilation"),
    error_if("output", kHeightRule, [](const V& v) { return v.dim("OH") != height(v); }).reads(kGeometry),
    error_if("output", kWidthRule, [](const V& v) { return v.dim("OW") != width(v); }).reads(kGeometry),
    error_if("bias", "bias must have one element or one for each output channel",
             [](const V& v) { return v.dim("BC") != 1 && v.dim("BC") != v.dim("OC"); }),
    error_if("block_size", kBlocksRule, [](const V& v) { return !blocks_divide(v, v.dim("IC")); }),
    kMoreThanOneInBlock,
    error_if("input_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("input_data"), v.shape("input_scale")); }),
    error_if("weight_scale", kScalesRule,
             [](const V& v) { return scales_misfit(v, v.shape("weight_data"), v.shape("weight_scale")); }),
};

Result<std::vector<Shape>> shapes(const V& v) { return window_shape({v.dim("N"), height(v), width(v), v.dim("OC")}); }

}  // namespace

extern constexpr Definition kDefinition = {
    Op::kCONV2D_BLOCK_SCALED, kArguments, kTypes, kRows, kChecks, named<shapes>, kGeometry};

}  // namespace macaw::tosa::CONV2D_BLOCK_SCALED
