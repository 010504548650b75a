#include "reference/tosa/kernels/float_operand.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/depthwise.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elements.hpp"
#include "reference/tosa/op/tensor/sum.hpp"
#include "reference/tosa/op/tensor/window.hpp"

namespace macaw::tosa::DEPTHWISE_CONV2D {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("[N,IH,IW,C]").rank(4),
    input("weight").type("weight_t").shape("[KH,KW,C,M]").rank(4),
    input("bias").type("out_t").shape("[BC]").rank(1),
    input("input_zp").type("in_t").shape("[1]").rank(1).compile_time_constant(),
    input("weight_zp").type("weight_t").shape("[1]").rank(1).compile_time_constant(),
    attribute("pad").type("i32_t").shape("[4]"),
    attribute("stride").type("i32_t").shape("[2]"),
    attribute("dilation").type("i32_t").shape("[2]"),
    attribute("acc_type").type("acc_type_t"),
    attribute("local_bound").type("bool_t"),
    output("output").type("out_t").shape("[N,OH,OW,C*M]").rank(4),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "weight_t", "out_t", "acc_t"};

std::int64_t height(const V& v) { return convolution_output(v, 0, v.dim("IH"), v.dim("KH")); }
std::int64_t width(const V& v) { return convolution_output(v, 1, v.dim("IW"), v.dim("KW")); }
/// The weight's element count is below 2^63, so this product is; an empty weight is not an exception.
std::int64_t channels(const V& v) {
  const auto product = Wide{v.dim("C")} * v.dim("M");
  return product == static_cast<std::int64_t>(product) ? static_cast<std::int64_t>(product) : -1;
}

Result<std::vector<Shape>> shapes(const V& v) { return window_shape({v.dim("N"), height(v), width(v), channels(v)}); }

constexpr Check kChecks[] = {
    level("weight", "dilation * kernel must not exceed the level's MAX_KERNEL",
          [](const V& v) { return within_level(v, 0, v.dim("KH")) && within_level(v, 1, v.dim("KW")); }),
    kPadLevel,
    kStrideLevel,
    error_if("output", "the output must have C * M channels", [](const V& v) { return v.dim("C*M") != channels(v); }),
    kInputZeroPoint<V>,
    kWeightZeroPoint<V>,
    kPadNotNegative,
    kStridePositive,
    kDilationPositive,
    error_if("output", kHeightRule, [](const V& v) { return v.dim("OH") != height(v); }),
    error_if("output", kWidthRule, [](const V& v) { return v.dim("OW") != width(v); }),
    error_if("bias", "bias must have one element or one for each output channel",
             [](const V& v) { return v.dim("BC") != 1 && v.dim("BC") != channels(v); }),
    kSumFits,
};

/// pseudocode/operators/DEPTHWISE_CONV2D.tosac
template <class In>
void depthwise_conv2d(Call& call) {
  const Elements<const In, 4> input(call.in(0));
  const Elements<const std::int8_t, 4> weight(call.in(1));
  const Elements<const Accumulator<In>, 1> bias(call.in(2));
  const auto input_zp = zero_point<In>(call, 3), weight_zp = zero_point<std::int8_t>(call, 4);
  const auto &pad = call.attrs(Attr::k_pad), &stride = call.attrs(Attr::k_stride),
             &dilation = call.attrs(Attr::k_dilation);
  const Elements<Accumulator<In>, 4> output(call.out(0));
  const auto [KH, KW, C, M] = weight.extents();
  const auto [N, OH, OW, OC] = output.extents();
  const std::array kernel{KH, KW};
  bool fits = true;
  for_each_position(std::array{N, OH, OW, C, M}, [&](const auto& at) {
    const auto [n, oy, ox, c, m] = at;
    Sum<Accumulator<In>> acc;
    for_each_position(kernel, [&](const auto& tap) {
      const auto [ky, kx] = tap;
      const auto y = oy * stride[0] - pad[0] + ky * dilation[0], x = ox * stride[1] - pad[2] + kx * dilation[1];
      if (input.contains({n, y, x, c}))
        acc.add((input[{n, y, x, c}] - input_zp) * (weight[{ky, kx, c, m}] - weight_zp));
    });
    acc.add(bias[{bias.extents()[0] == 1 ? 0 : c * M + m}]);
    output[{n, oy, ox, c * M + m}] = acc.value();
    fits &= acc.fits();
  });
  call.require(fits, kSumFits);
}

template <class In>
Result<void> kernel(Call& call) {
  if (call.kernels == Kernels::kScalar) {
    depthwise_conv2d<In>(call);
    return {};
  }
  if constexpr (sizeof(In) == 1) return depthwise_int8(call);
  else return depthwise_integers<In>(call);
}

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    depthwise_floats<T>(call);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    row({kINT8, kINT8, kINT32, kINT32}).in(kProInt).produces_tiles().by(kernel<std::int8_t>),
    row({kINT8, kINT4, kINT32, kINT32}).in(kExtInt4).produces_tiles().by(kernel<std::int8_t>),
    row({kINT16, kINT8, kINT48, kINT48}).in(kExtInt16).by(kernel<std::int16_t>),
    row({kFP8E4M3, kFP8E4M3, kFP16, kFP16}).in(kExtFp8E4M3).by(float_kernel<Float>),
    row({kFP8E5M2, kFP8E5M2, kFP16, kFP16}).in(kExtFp8E5M2).by(float_kernel<Float>),
    row({kFP8E4M3, kFP8E4M3, kFP32, kFP32}).in(kExtFp8E4M3).since(1, 1).by(float_kernel<Float>),
    row({kFP8E5M2, kFP8E5M2, kFP32, kFP32}).in(kExtFp8E5M2).since(1, 1).by(float_kernel<Float>),
    row({kFP16, kFP16, kFP16, kFP16}).in(kProFp).by(float_kernel<Float>),
    row({kFP16, kFP16, kFP16, kFP32}).in(kProFp).by(float_kernel<Float>),
    row({kBF16, kBF16, kBF16, kFP32}).in(kExtBf16).by(float_kernel<Float>),
    row({kFP32, kFP32, kFP32, kFP32}).in(kProFp).by(float_kernel<Float>),
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kDEPTHWISE_CONV2D, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa::DEPTHWISE_CONV2D
