#include "reference/fast/float_operand.hpp"
#include "reference/fast/gemm/batch_matmul.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "A", "A_t", "[N,H,C]", 3, 3},
    {Category::kInput, "B", "B_t", "[N,C,W]", 3, 3},
    {Category::kInput, "A_zp", "A_t", "[1]", 1, 1, false, true},
    {Category::kInput, "B_zp", "B_t", "[1]", 1, 1, false, true},
    {Category::kOutput, "output", "out_t", "[N,H,W]", 3, 3},
};
constexpr std::string_view kTypes[] = {"A_t", "B_t", "out_t"};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "A_zp", "A_zp must be 0 unless A is int8",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(2); }, value_of(2)},
    {Rule::kErrorIf, "B_zp", "B_zp must be 0 unless B is int8",
     [](const View& v) { return v.inputs[1].dtype != DType::kINT8 && !v.is_zero(3); }, value_of(3)},
    kProductFits,
};

template <class T>
Result<void> kernel(Call& call) {
  batch_matmul<T>(call, false);
  return {};
}

constexpr Kernel kFloat = float_kernel<FloatMatmul<false>>;
constexpr Support kInBothFp8 = all_of(Profile::kExtFp8E4M3, Profile::kExtFp8E5M2);

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT8, DType::kINT32}, kInProInt, 0, kernel<std::int8_t>},
    {{DType::kINT16, DType::kINT16, DType::kINT48}, kInExtInt16, 0, kernel<std::int16_t>},
    {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP16}, kInExtFp8E4M3, 0, kFloat},
    {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP32}, kInExtFp8E4M3, 1, kFloat},
    {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP16}, kInExtFp8E5M2, 0, kFloat},
    {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP32}, kInExtFp8E5M2, 1, kFloat},
    {{DType::kFP8E4M3, DType::kFP8E5M2, DType::kFP16}, kInBothFp8, 1, kFloat},
    {{DType::kFP8E4M3, DType::kFP8E5M2, DType::kFP32}, kInBothFp8, 1, kFloat},
    {{DType::kFP8E5M2, DType::kFP8E4M3, DType::kFP16}, kInBothFp8, 1, kFloat},
    {{DType::kFP8E5M2, DType::kFP8E4M3, DType::kFP32}, kInBothFp8, 1, kFloat},
    {{DType::kFP16, DType::kFP16, DType::kFP16}, kInProFp, 0, kFloat},
    {{DType::kFP16, DType::kFP16, DType::kFP32}, kInProFp, 0, kFloat},
    {{DType::kBF16, DType::kBF16, DType::kFP32}, kInExtBf16, 0, kFloat},
    {{DType::kFP32, DType::kFP32, DType::kFP32}, kInProFp, 0, kFloat},
};

}  // namespace

extern constexpr Definition kMATMUL = {Op::kMATMUL, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
