#include "reference/tflite/op/blocks.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/depth_to_space.cc.
namespace macaw::tflite::DEPTH_TO_SPACE {
namespace {

Result<void> depth_to_space(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::DepthToSpaceOptionsT>());
  return move_blocks(call, options->block_size, BlockDirection::kToSpace);
}

}  // namespace

extern constexpr Definition kDefinition = {"DEPTH_TO_SPACE", 1, 1, 1, 1, depth_to_space};

}  // namespace macaw::tflite::DEPTH_TO_SPACE
