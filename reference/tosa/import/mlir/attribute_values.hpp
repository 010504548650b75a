#pragma once
#include <macaw/tosa/graph.hpp>

#include <string_view>

namespace macaw::tosa::mlir {

/// A value of an enumeration as MLIR spells it; the first row of a value is the one that is written.
struct EnumerationRow {
  Attr attribute;
  std::string_view spelling;
  std::int64_t value;
};
inline constexpr EnumerationRow kEnumerations[] = {
    {Attr::k_nan_mode, "PROPAGATE", std::int64_t(NanMode::kPropagate)},
    {Attr::k_nan_mode, "IGNORE", std::int64_t(NanMode::kIgnore)},
    {Attr::k_mode, "NEAREST_NEIGHBOR", std::int64_t(ResizeMode::kNearestNeighbor)},
    {Attr::k_mode, "BILINEAR", std::int64_t(ResizeMode::kBilinear)},
    {Attr::k_rounding_mode, "SINGLE_ROUND", std::int64_t(RoundingMode::kSingleRound)},
    {Attr::k_rounding_mode, "INEXACT_ROUND", std::int64_t(RoundingMode::kInexactRound)},
    {Attr::k_rounding_mode, "DOUBLE_ROUND", std::int64_t(RoundingMode::kDoubleRound)},
    {Attr::k_block_size, "BLOCK_SIZE_1", 1},
    {Attr::k_block_size, "BLOCK_SIZE_32", 32},
    {Attr::k_block_size, "BLOCK_SHAPE_1", 1},
    {Attr::k_block_size, "BLOCK_SHAPE_32", 32},
};

/// MLIR's name of an enumeration, "#tosa.NAME<VALUE>"; empty for an attribute that is none.
[[nodiscard]] constexpr std::string_view enumeration(Attr attribute) {
  switch (attribute) {
    case Attr::k_nan_mode: return "nan_mode";
    case Attr::k_mode: return "resize_mode";
    case Attr::k_rounding_mode: return "rounding_mode";
    case Attr::k_block_size: return "block_size";
    default: return {};
  }
}

/// Whether the integer of an attribute (AttributeKind::kInt) means true or false.
[[nodiscard]] inline bool is_flag(Attr attribute) {
  return kind(attribute) == AttributeKind::kInt && enumeration(attribute).empty() && attribute != Attr::k_axis &&
         attribute != Attr::k_acc_type;
}

}  // namespace macaw::tosa::mlir
