#include "reference/fast/float_operand.hpp"
#include "reference/fast/window/accumulator.hpp"
#include "reference/fast/window/depthwise.hpp"
#include "reference/op/tensor/window.hpp"

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

struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    depthwise_floats<T>(call);
    return {};
  }
};

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT8, DType::kINT32, DType::kINT32}, kInProInt, 0, depthwise_int8},
    {{DType::kINT8, DType::kINT4, DType::kINT32, DType::kINT32}, kInExtInt4, 0, depthwise_int8},
    {{DType::kINT16, DType::kINT8, DType::kINT48, DType::kINT48}, kInExtInt16, 0, depthwise_integers<std::int16_t>},
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
