#include <fmt/format.h>

#include "reference/tflite/copy.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{depth_to_space.cc,space_to_depth.cc},
// tensorflow/lite/kernels/internal/reference/{depth_to_space.h,space_to_depth.h}.
namespace macaw::tflite::space_to_depth {
namespace {

enum class BlockDirection { kToSpace, kToDepth };

/// Moves between pixels and blocks of pixels in the depth: `deep` has the blocks, `wide` the pixels.
Result<void> move_blocks(Call& call, std::int64_t block, BlockDirection direction) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect_rank(*in, 4, "the input"));
  const bool to_space = direction == BlockDirection::kToSpace;
  const Shape& deep = to_space ? in->shape() : out.shape();
  constexpr std::int64_t kMaxBlock = 1 << 15;
  if (block < 1 || block > kMaxBlock || deep.size() != 4 || deep[3] % (block * block) != 0)
    return invalid(fmt::format("blocks of {} in depth {}", block, deep.empty() ? 0 : deep.back()));
  const std::int64_t depth = deep[3] / (block * block);
  const Shape wide = {deep[0], deep[1] * block, deep[2] * block, depth};
  MACAW_CHECK(expect(to_space ? out : *in, wide, to_space ? "the output" : "the input"));
  // Both sides as batch, row, row in block, column, column in block, depth.
  const std::int64_t in_deep[] = {deep[1] * deep[2] * deep[3], deep[2] * deep[3], block * depth, deep[3], depth, 1};
  const std::int64_t in_wide[] = {
      wide[1] * wide[2] * depth, block * wide[2] * depth, wide[2] * depth, block * depth, depth, 1};
  const Shape final_shape = out.shape();
  if (to_space) {
    out.reshape({deep[0], deep[1], block, deep[2], block, depth});
    gather_strided(*in, 0, {std::begin(in_deep), std::end(in_deep)}, out);
  } else {
    out.reshape({deep[0], deep[1], deep[2], block, block, depth});
    gather_strided(*in, 0, {in_wide[0], in_wide[1], in_wide[3], in_wide[2], in_wide[4], in_wide[5]}, out);
  }
  out.reshape(final_shape);
  return {};
}

template <class Options, BlockDirection kDirection>
Result<void> move_blocks_of(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<Options>());
  return move_blocks(call, options->block_size, kDirection);
}

constexpr Definition kDefinitions[] = {
    {"SPACE_TO_DEPTH", 1, 1, 1, 1, move_blocks_of<schema::SpaceToDepthOptionsT, BlockDirection::kToDepth>},
    {"DEPTH_TO_SPACE", 1, 1, 1, 1, move_blocks_of<schema::DepthToSpaceOptionsT, BlockDirection::kToSpace>},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::space_to_depth
