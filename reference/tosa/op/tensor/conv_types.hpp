#pragma once
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa {

/// Type variables of CONV2D, CONV3D and TRANSPOSE_CONV2D.
inline constexpr std::string_view kConvolutionTypes[] = {"in_t",  "weight_t", "out_t",
                                                         "acc_t", "in_zp_t",  "weight_zp_t"};

/// Integer rows of the convolutions (tosa.xml). `tiles`: sums of int8 are passed on in tiles.
// clang-format off
#define MACAW_INTEGER_CONVOLUTION_ROWS(tiles, narrow, wide) \
  row({kINT8, kINT8, kINT32, kINT32, kINT8, kINT8}).in(kProInt).produces_tiles(tiles).by(narrow), \
  row({kINT8, kINT4, kINT32, kINT32, kINT8, kINT4}).in(kExtInt4).produces_tiles(tiles).by(narrow), \
  row({kINT16, kINT8, kINT48, kINT48, kINT16, kINT8}).in(kExtInt16).by(wide)
/// Floating-point rows of the convolutions in 1.0.
#define MACAW_FLOAT_CONVOLUTION_ROWS(kernel) \
  row({kFP8E4M3, kFP8E4M3, kFP16, kFP16, kFP8E4M3, kFP8E4M3}).in(kExtFp8E4M3).by(kernel), \
  row({kFP8E5M2, kFP8E5M2, kFP16, kFP16, kFP8E5M2, kFP8E5M2}).in(kExtFp8E5M2).by(kernel), \
  row({kFP16, kFP16, kFP16, kFP16, kFP16, kFP16}).in(kProFp).by(kernel), \
  row({kFP16, kFP16, kFP16, kFP32, kFP16, kFP16}).in(kProFp).by(kernel), \
  row({kBF16, kBF16, kBF16, kFP32, kBF16, kBF16}).in(kExtBf16).by(kernel), \
  row({kFP32, kFP32, kFP32, kFP32, kFP32, kFP32}).in(kProFp).by(kernel)
// clang-format on

/// Mixed-precision rows of the convolutions, new in 1.1: FP16 outputs of types narrower than FP32 with sums in BF16 or
/// FP32, and FP32 outputs of any types. Rows of 1.0 precede these.
constexpr auto mixed_convolution_rows(Kernel kernel) {
  constexpr auto kAll = kProductTypes.size(), kNarrow = kAll - 1;
  std::array<TypeRow, 2 * kNarrow * kNarrow + kAll * kAll> rows{};
  std::size_t n = 0;
  const auto add = [&](DType in, DType weight, DType out, DType sum) {
    rows[n++] = row({in, weight, out, sum, element_type(in), element_type(weight)})
                    .in(support_of(in, weight, out, sum))
                    .since(1, 1)
                    .by(kernel);
  };
  for (const auto in : kProductTypes)
    for (const auto weight : kProductTypes) {
      if (in != kFP32 && weight != kFP32)
        for (const auto sum : {kBF16, kFP32}) add(in, weight, kFP16, sum);
      add(in, weight, kFP32, kFP32);
    }
  return rows;
}

}  // namespace macaw::tosa
