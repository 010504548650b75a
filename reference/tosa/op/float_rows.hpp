#pragma once
#include <algorithm>
#include <array>

#include "reference/tosa/op/block_scaled.hpp"
#include "reference/tosa/op/declare.hpp"

// Rows for sets of floating-point types (type_set and DEDUCE-EXT of tosa.xml).

namespace macaw::tosa {

/// Rows of an operator whose only type is a floating-point type of 16 or 32 bits.
#define MACAW_FLOAT_ROWS(kernel) \
  row({kFP16}).in(kProFp).by(kernel), row({kBF16}).in(kExtBf16).by(kernel), row({kFP32}).in(kProFp).by(kernel)

/// DEDUCE-EXT: the profiles and extensions that have all of the types.
template <class... D>
constexpr Support support_of(D... types) {
  ProfileMask all = 0;
  for (const auto type : {types...}) {
    switch (type) {
      case kFP16:
      case kFP32: all |= mask(kProFp); break;
      case kBF16: all |= mask(kExtBf16); break;
      case kFP8E4M3: all |= mask(kExtFp8E4M3); break;
      case kFP8E5M2: all |= mask(kExtFp8E5M2); break;
      default:
        for (const auto& row : kBlockScaledTypes)
          if (row.composite == type) all |= mask(kExtMxCommon) | mask(row.extension);
    }
  }
  return {{all, 0}};
}

/// Operand types of a mixed-precision product besides the block-scaled types.
inline constexpr std::array kMixedTypes = {kFP8E4M3, kFP8E5M2, kFP16, kBF16, kFP32};
/// The same with them.
inline constexpr auto kProductTypes = [] {
  std::array<DType, kMixedTypes.size() + std::size(kBlockScaledTypes)> types{};
  const auto rest = std::ranges::copy(kMixedTypes, types.begin()).out;
  std::ranges::transform(kBlockScaledTypes, rest, &BlockScaledType::composite);
  return types;
}();

/// The type of elements and of their zero point (access_elem_type of tosa.xml).
constexpr DType element_type(DType dtype) {
  const auto scaled = [&](const BlockScaledType& type) { return type.composite == dtype; };
  return std::ranges::any_of(kBlockScaledTypes, scaled) ? kFP32 : dtype;
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
                     auto made = row({type.composite}).in(support_of(type.composite)).since(1, 1).by(kernel);
                     std::fill_n(made.types.begin(), variables, type.composite);
                     return made;
                   }));
}

}  // namespace macaw::tosa
