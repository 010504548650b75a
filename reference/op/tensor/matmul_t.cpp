#include "reference/fast/float_operand.hpp"
#include "reference/fast/gemm/batch_matmul.hpp"
#include "reference/op/float_rows.hpp"

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
    split_block_in<0>("A"),
    split_block_in<1>("B"),
    kProductFits,
};

template <class T>
Result<void> kernel(Call& call) {
  batch_matmul<T>(call, true);
  return {};
}

constexpr Kernel kFloat = float_kernel<FloatMatmul<true>>;

constexpr TypeRow kSameTypes[] = {
    {{DType::kINT8, DType::kINT8, DType::kINT8, DType::kINT8, DType::kINT32}, kInProInt, 1, kernel<std::int8_t>},
    {{DType::kINT16, DType::kINT16, DType::kINT16, DType::kINT16, DType::kINT48}, kInExtInt16, 1, kernel<std::int16_t>},
    {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16}, kInProFp, 1, kFloat},
};

// FP32 outputs of any two types, BF16 outputs of any but FP32 and a pair of FP16.
constexpr auto kMixed = [] {
  constexpr auto kAll = kProductTypes.size(), kNarrow = kAll - 1;
  std::array<TypeRow, kAll * kAll + kNarrow * kNarrow - 1> rows{};
  std::size_t n = 0;
  for (const auto a : kProductTypes)
    for (const auto b : kProductTypes) {
      const auto add = [&](DType out) {
        rows[n++] = {{a, b, element_type(a), element_type(b), out}, support_of(a, b, out), 1, kFloat};
      };
      add(DType::kFP32);
      const bool narrow = a != DType::kFP32 && b != DType::kFP32;
      if (narrow && (a != DType::kFP16 || b != DType::kFP16)) add(DType::kBF16);
    }
  return rows;
}();
constexpr auto kRows = join_rows(kSameTypes, kMixed);

}  // namespace

extern constexpr Definition kMATMUL_T = {Op::kMATMUL_T, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
