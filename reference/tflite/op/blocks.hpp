#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Moves between pixels and blocks of pixels in the depth, as DEPTH_TO_SPACE and SPACE_TO_DEPTH do: `deep` has the
/// blocks, `wide` the pixels.
enum class BlockDirection { kToSpace, kToDepth };
[[nodiscard]] Result<void> move_blocks(Call& call, std::int64_t block, BlockDirection direction);

}  // namespace macaw::tflite
