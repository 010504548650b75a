#pragma once
#include <algorithm>
#include <array>

#include "reference/op/def.hpp"

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
    {DType::kFP4E2M1, DType::kBS32_FP8UE8M0_FP4E2M1, Profile::kExtMxFp4E2M1},
    {DType::kFP6E2M3, DType::kBS32_FP8UE8M0_FP6E2M3, Profile::kExtMxFp6E2M3},
    {DType::kFP6E3M2, DType::kBS32_FP8UE8M0_FP6E3M2, Profile::kExtMxFp6E3M2},
    {DType::kFP8E4M3, DType::kBS32_FP8UE8M0_FP8E4M3, Profile::kExtMxFp8E4M3},
    {DType::kFP8E5M2, DType::kBS32_FP8UE8M0_FP8E5M2, Profile::kExtMxFp8E5M2},
    {DType::kMXINT8, DType::kBS32_FP8UE8M0_MXINT8, Profile::kExtMxInt8},
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

/// The rules on an operand, the first unless said.
constexpr Check scalar_of_blocks_in(std::string_view argument) {
  return {Rule::kErrorIf, argument, kScalarOfBlocksRule,
          [](const View& v) { return is_scalar_of_blocks(v.inputs[0]); }};
}
template <std::size_t kInput = 0>
constexpr Check split_block_in(std::string_view argument) {
  return {Rule::kErrorIf, argument, kSplitBlockRule, [](const View& v) { return splits_block(v.inputs[kInput]); }};
}
constexpr Check scalar_of_blocks_out(std::string_view argument) {
  return {Rule::kErrorIf, argument, kScalarOfBlocksRule,
          [](const View& v) { return is_scalar_of_blocks(v.outputs[0]); }};
}
constexpr Check split_block_out(std::string_view argument) {
  return {Rule::kErrorIf, argument, kSplitBlockRule, [](const View& v) { return splits_block(v.outputs[0]); }};
}

/// Whether the attribute block_size is one that the specification has (block_size_t of tosa.xml) and divides `extent`.
[[nodiscard]] inline bool blocks_divide(const View& view, std::int64_t extent) {
  const auto block = view.attr(Attr::k_block_size);
  return (block == 1 || block == 32) && extent % block == 0;
}

inline constexpr std::string_view kBlocksRule =
    "block_size must be 1 or 32 and the last extent of the values a multiple of it";
inline constexpr Check kMoreThanOneInBlock{Rule::kErrorIf, "block_size", "block_size must not be 1",
                                           [](const View& v) { return v.attr(Attr::k_block_size) == 1; }};

/// Whether `scales` is not the scale_shape() of `values`. False where kBlocksRule is broken already.
[[nodiscard]] inline bool scales_misfit(const View& view, const Shape& values, const Shape& scales) {
  return !values.empty() && blocks_divide(view, values.back()) &&
         scales != scale_shape(values, view.attr(Attr::k_block_size));
}
inline constexpr std::string_view kScalesRule =
    "the scales must have the shape of the values, the last extent divided by block_size";

}  // namespace macaw::tosa
