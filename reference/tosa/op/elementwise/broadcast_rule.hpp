#pragma once
#include "reference/tosa/op/declare.hpp"

namespace macaw::tosa {

/// broadcast_shape of the specification over all inputs; an error if ranks or extents do not go together.
[[nodiscard]] Result<Shape> broadcast_shape(std::span<const Operand> inputs);

/// Shape function and condition of operators whose inputs from the first to the last broadcast.
[[nodiscard]] Result<std::vector<Shape>> broadcast_shapes(const View& view);
[[nodiscard]] bool breaks_broadcast(const View& view);
/// Shape function and condition of operators of whose inputs the first two only broadcast (MUL has a third one).
[[nodiscard]] Result<std::vector<Shape>> broadcast_pair_shapes(const View& view);
[[nodiscard]] bool breaks_broadcast_pair(const View& view);

inline constexpr std::string_view kBroadcastRule =
    "the shapes must have equal ranks and broadcast, extent by extent, to the output's";
inline constexpr Check kBroadcastCheck = error_if("output", kBroadcastRule, breaks_broadcast);

}  // namespace macaw::tosa
