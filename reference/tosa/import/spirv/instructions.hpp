#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace macaw::tosa::spirv {

inline constexpr std::string_view kInstructionSet = "TOSA.001000.1";

/// An instruction of the extended set: its operands are these attributes and then the operator's inputs.
struct InstructionRow {
  Op op;
  std::span<const Attr> attributes;
  std::uint32_t shapes;  ///< bit n: input n is a list of extents or positions, in the graph a shape
};

/// By number; none if the set does not have it.
[[nodiscard]] std::optional<InstructionRow> instruction(std::uint32_t number);

/// Numbers that stand for values of enumerations, from 1 in this order (TOSA.001000.1, Khronos SPIR-V Registry).
inline constexpr DType kAccTypes[] = {DType::kINT32, DType::kFP16, DType::kFP32, DType::kINT48};
inline constexpr NanMode kNanModes[] = {NanMode::kPropagate, NanMode::kIgnore};
inline constexpr ResizeMode kResizeModes[] = {ResizeMode::kNearestNeighbor, ResizeMode::kBilinear};
inline constexpr RoundingMode kRoundingModes[] = {RoundingMode::kSingleRound, RoundingMode::kInexactRound,
                                                  RoundingMode::kDoubleRound};

}  // namespace macaw::tosa::spirv
