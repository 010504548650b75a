#pragma once
#include <algorithm>
#include <array>

#include "reference/tosa/op/declare.hpp"

// Operators on blocks of elements that share a scale. The *_BLOCK_SCALED operators have a tensor of values beside one
// of scales (type fp8ue8m0), one for each block_size elements of the last dimension; the other operators have tensors
// of block-scaled types.

namespace macaw::tosa {

/// Types of values that can have a scale, with the block-scaled type of each (bs32_fp8ue8m0_set_t) and the extension
/// that it needs beside EXT-MX-COMMON (tosa.xml).
struct BlockScaledType {
  DType values, composite;
  Profile extension;
};
inline constexpr BlockScaledType kBlockScaledTypes[] = {
    {kFP4E2M1, kBS32_FP8UE8M0_FP4E2M1, kExtMxFp4E2M1}, {kFP6E2M3, kBS32_FP8UE8M0_FP6E2M3, kExtMxFp6E2M3},
    {kFP6E3M2, kBS32_FP8UE8M0_FP6E3M2, kExtMxFp6E3M2}, {kFP8E4M3, kBS32_FP8UE8M0_FP8E4M3, kExtMxFp8E4M3},
    {kFP8E5M2, kBS32_FP8UE8M0_FP8E5M2, kExtMxFp8E5M2}, {kMXINT8, kBS32_FP8UE8M0_MXINT8, kExtMxInt8},
};

/// One row for each of them, made by make(BlockScaledType).
template <std::size_t N = std::size(kBlockScaledTypes), class F>
constexpr std::array<TypeRow, N> block_scaled_rows(F make) {
  std::array<TypeRow, N> rows{};
  for (std::size_t i = 0; i < N; ++i) rows[i] = make(kBlockScaledTypes[i]);
  return rows;
}

/// Whether an operand is block-scaled and a scalar, or of a last extent that blocks do not divide.
[[nodiscard]] inline bool is_scalar_of_blocks(const Operand& operand) {
  return is_block_scale(operand.dtype) && operand.shape->empty();
}
[[nodiscard]] inline bool splits_block(const Operand& operand) {
  return is_block_scale(operand.dtype) && !operand.shape->empty() && operand.shape->back() % kInnermostBlockSize != 0;
}
inline constexpr std::string_view kScalarOfBlocksRule = "a block-scaled tensor must have a rank of at least 1";
inline constexpr std::string_view kSplitBlockRule =
    "the last extent of a block-scaled tensor must be a multiple of its block size, 32";

/// The rules on an operand of a ViewOf.
template <class V, Literal kOperand>
inline constexpr Check kScalarOfBlocks =
    error_if(kOperand.text, kScalarOfBlocksRule, [](const V& v) { return is_scalar_of_blocks(v[kOperand.text]); });
template <class V, Literal kOperand>
inline constexpr Check kSplitBlock =
    error_if(kOperand.text, kSplitBlockRule, [](const V& v) { return splits_block(v[kOperand.text]); });

/// Whether the attribute block_size is one that the specification has (block_size_t of tosa.xml) and divides `extent`.
[[nodiscard]] inline bool blocks_divide(const View& view, std::int64_t extent) {
  const auto block = view.attr(Attr::k_block_size);
  return (block == 1 || block == 32) && extent % block == 0;
}

inline constexpr std::string_view kBlocksRule =
    "block_size must be 1 or 32 and the last extent of the values a multiple of it";
inline constexpr Check kMoreThanOneInBlock =
    error_if("block_size", "block_size must not be 1", [](const View& v) { return v.attr(Attr::k_block_size) == 1; });

/// Whether `scales` is not the scale_shape() of `values`. False where kBlocksRule is broken already.
[[nodiscard]] inline bool scales_misfit(const View& view, const Shape& values, const Shape& scales) {
  return !values.empty() && blocks_divide(view, values.back()) &&
         scales != scale_shape(values, view.attr(Attr::k_block_size));
}
inline constexpr std::string_view kScalesRule =
    "the scales must have the shape of the values, the last extent divided by block_size";

}  // namespace macaw::tosa
