#include "reference/op/tensor/batch_matmul.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "A", "A_t", "[N,H,C]", 3, 3},
    {Category::kInput, "B", "B_t", "[D,W,C]", 3, 3},
    {Category::kInput, "A_zp", "A_zp_t", "[1]", 1, 1, false, true},
    {Category::kInput, "B_zp", "B_zp_t", "[1]", 1, 1, false, true},
    {Category::kOutput, "output", "out_t", "[N,H,W]", 3, 3},
};
constexpr std::string_view kTypes[] = {"A_t", "B_t", "A_zp_t", "B_zp_t", "out_t"};

constexpr Check kChecks[] = {
    {Rule::kErrorIf, "B", "B must have one batch or as many as A",
     [](const View& v) { return v.in_shape(1)[0] != 1 && v.in_shape(1)[0] != v.in_shape(0)[0]; }},
    {Rule::kErrorIf, "A_zp", "A_zp must be 0 unless A is int8",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(2); }, value_of(2)},
    {Rule::kErrorIf, "B_zp", "B_zp must be 0 unless B is int8",
     [](const View& v) { return v.inputs[1].dtype != DType::kINT8 && !v.is_zero(3); }, value_of(3)},
};

template <class T>
Result<void> kernel(Call& call) {
  batch_matmul<T>(call, true);
  return {};
}

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT8, DType::kINT8, DType::kINT8, DType::kINT32}, kInProInt, 1, kernel<std::int8_t>},
    {{DType::kINT16, DType::kINT16, DType::kINT16, DType::kINT16, DType::kINT48}, kInExtInt16, 1, kernel<std::int16_t>},
};

}  // namespace

extern constexpr Definition kMATMUL_T = {Op::kMATMUL_T, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
