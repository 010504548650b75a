#include "reference/fast/float_operand.hpp"
#include "reference/fast/window/accumulator.hpp"
#include "reference/fast/window/depthwise.hpp"
#include "reference/op/declare.hpp"
#include "reference/op/tensor/window.hpp"

namespace macaw::tosa {
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
/// The weight's element count is below 2^63, so this product is; an empty weight is no exception.
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

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    depthwise_floats<T>(call);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    row({kINT8, kINT8, kINT32, kINT32}).in(kProInt).by(depthwise_int8),
    row({kINT8, kINT4, kINT32, kINT32}).in(kExtInt4).by(depthwise_int8),
    row({kINT16, kINT8, kINT48, kINT48}).in(kExtInt16).by(depthwise_integers<std::int16_t>),
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

extern constexpr Definition kDEPTHWISE_CONV2D = {Op::kDEPTHWISE_CONV2D, kArguments, kTypes, kRows, kChecks,
                                                 named<shapes>};

}  // namespace macaw::tosa
