#include "reference/tflite/op/blocks.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/space_to_depth.cc.
namespace macaw::tflite::SPACE_TO_DEPTH {
namespace {

Result<void> space_to_depth(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::SpaceToDepthOptionsT>());
  return move_blocks(call, options->block_size, BlockDirection::kToDepth);
}

}  // namespace

extern constexpr Definition kDefinition = {"SPACE_TO_DEPTH", 1, 1, 1, 1, space_to_depth};

}  // namespace macaw::tflite::SPACE_TO_DEPTH
