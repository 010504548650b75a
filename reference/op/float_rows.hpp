#pragma once
#include <algorithm>
#include <array>

#include "reference/op/block_scaled.hpp"

// Rows for sets of floating-point types (type_set and DEDUCE-EXT of tosa.xml).

namespace macaw::tosa {

/// DEDUCE-EXT: the profiles and extensions that have all of the types.
template <class... D>
constexpr Support support_of(D... types) {
  ProfileMask all = 0;
  for (const auto type : {types...}) {
    switch (type) {
      case DType::kFP16:
      case DType::kFP32: all |= mask(Profile::kProFp); break;
      case DType::kBF16: all |= mask(Profile::kExtBf16); break;
      case DType::kFP8E4M3: all |= mask(Profile::kExtFp8E4M3); break;
      case DType::kFP8E5M2: all |= mask(Profile::kExtFp8E5M2); break;
      default:
        for (const auto& row : kBlockScaledTypes)
          if (row.composite == type) all |= mask(Profile::kExtMxCommon) | mask(row.extension);
    }
  }
  return {{all, 0}};
}

/// What operands of a mixed-precision product can be, beside the block-scaled types.
inline constexpr std::array kMixedTypes = {DType::kFP8E4M3, DType::kFP8E5M2, DType::kFP16, DType::kBF16, DType::kFP32};
/// The same with them.
inline constexpr auto kProductTypes = [] {
  std::array<DType, kMixedTypes.size() + std::size(kBlockScaledTypes)> types{};
  const auto rest = std::ranges::copy(kMixedTypes, types.begin()).out;
  std::ranges::transform(kBlockScaledTypes, rest, &BlockScaledType::composite);
  return types;
}();

/// The type that elements are read in, and have their zero point in (access_elem_type of tosa.xml).
constexpr DType element_type(DType dtype) {
  const auto scaled = [&](const BlockScaledType& type) { return type.composite == dtype; };
  return std::ranges::any_of(kBlockScaledTypes, scaled) ? DType::kFP32 : dtype;
}

template <std::size_t A, std::size_t B>
constexpr std::array<TypeRow, A + B> join_rows(const TypeRow (&a)[A], const std::array<TypeRow, B>& b) {
  std::array<TypeRow, A + B> rows{};
  std::copy_n(a, A, rows.begin());
  std::copy_n(b.begin(), B, rows.begin() + A);
  return rows;
}

/// The rows, and one more for each block-scaled type, which is what all of the operator's type variables are.
template <std::size_t N>
constexpr auto with_block_scaled(const TypeRow (&rows)[N], Kernel kernel, std::size_t variables = 1) {
  return join_rows(rows, block_scaled_rows([=](BlockScaledType type) {
                     TypeRow row{{type.composite}, support_of(type.composite), 1, kernel};
                     std::fill_n(row.types.begin(), variables, type.composite);
                     return row;
                   }));
}

}  // namespace macaw::tosa
