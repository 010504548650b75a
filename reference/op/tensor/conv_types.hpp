#pragma once
#include "reference/op/float_rows.hpp"

namespace macaw::tosa {

/// Type variables of CONV2D, CONV3D and TRANSPOSE_CONV2D.
inline constexpr std::string_view kConvolutionTypes[] = {"in_t",  "weight_t", "out_t",
                                                         "acc_t", "in_zp_t",  "weight_zp_t"};

/// Their integer rows (tosa.xml).
// clang-format off
#define MACAW_INTEGER_CONVOLUTION_ROWS(narrow, wide)                                                                   \
  {{DType::kINT8, DType::kINT8, DType::kINT32, DType::kINT32, DType::kINT8, DType::kINT8}, kInProInt, 0, narrow},      \
  {{DType::kINT8, DType::kINT4, DType::kINT32, DType::kINT32, DType::kINT8, DType::kINT4}, kInExtInt4, 0, narrow},     \
  {{DType::kINT16, DType::kINT8, DType::kINT48, DType::kINT48, DType::kINT16, DType::kINT8}, kInExtInt16, 0, wide}
/// Their floating-point rows of 1.0.
#define MACAW_FLOAT_CONVOLUTION_ROWS(kernel)                                                                           \
  {{DType::kFP8E4M3, DType::kFP8E4M3, DType::kFP16, DType::kFP16, DType::kFP8E4M3, DType::kFP8E4M3},                   \
   kInExtFp8E4M3, 0, kernel},                                                                                          \
  {{DType::kFP8E5M2, DType::kFP8E5M2, DType::kFP16, DType::kFP16, DType::kFP8E5M2, DType::kFP8E5M2},                   \
   kInExtFp8E5M2, 0, kernel},                                                                                          \
  {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP16}, kInProFp, 0, kernel},         \
  {{DType::kFP16, DType::kFP16, DType::kFP16, DType::kFP32, DType::kFP16, DType::kFP16}, kInProFp, 0, kernel},         \
  {{DType::kBF16, DType::kBF16, DType::kBF16, DType::kFP32, DType::kBF16, DType::kBF16}, kInExtBf16, 0, kernel},       \
  {{DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32, DType::kFP32}, kInProFp, 0, kernel}
// clang-format on

/// Their mixed-precision rows, new in 1.1: FP16 outputs of types narrower than FP32 with sums in BF16 or FP32, and FP32
/// outputs of any types. A row that 1.0 has comes before these.
constexpr auto mixed_convolution_rows(Kernel kernel) {
  constexpr auto kAll = kProductTypes.size(), kNarrow = kAll - 1;
  std::array<TypeRow, 2 * kNarrow * kNarrow + kAll * kAll> rows{};
  std::size_t n = 0;
  const auto add = [&](DType in, DType weight, DType out, DType sum) {
    rows[n++] = {
        {in, weight, out, sum, element_type(in), element_type(weight)}, support_of(in, weight, out, sum), 1, kernel};
  };
  for (const auto in : kProductTypes)
    for (const auto weight : kProductTypes) {
      if (in != DType::kFP32 && weight != DType::kFP32)
        for (const auto sum : {DType::kBF16, DType::kFP32}) add(in, weight, DType::kFP16, sum);
      add(in, weight, DType::kFP32, DType::kFP32);
    }
  return rows;
}

}  // namespace macaw::tosa
