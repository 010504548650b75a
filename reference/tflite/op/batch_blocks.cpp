#include "reference/tflite/op/batch_blocks.hpp"

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b
// tensorflow/lite/kernels/internal/reference/{space_to_batch_nd.h,batch_to_space_nd.h}.
namespace macaw::tflite {

Result<BatchBlocks> BatchBlocks::create(const Call& call, const Tensor& wide, const Tensor& blocked) {
  MACAW_ASSIGN(const Tensor* block_tensor, call.input(1));
  MACAW_ASSIGN(const Tensor* edge_tensor, call.input(2));
  MACAW_ASSIGN(const auto block, integers(*block_tensor, "the block"));
  MACAW_ASSIGN(const auto edges, integers(*edge_tensor, "the edges"));
  MACAW_CHECK(expect(blocked, wide.dtype(), "the output"));
  if ((wide.rank() != 3 && wide.rank() != 4) || blocked.rank() != wide.rank())
    return unsupported(fmt::format("operands of rank {} and {}", wide.rank(), blocked.rank()));
  const std::size_t axes = wide.rank() - 2;
  if (block.size() != axes || edges.size() != 2 * axes)
    return invalid(fmt::format("a block of {} and {} edges for {} axes", block.size(), edges.size(), axes));
  std::int64_t count = 1;
  constexpr std::int64_t kLimit = 1 << 20;
  for (std::size_t a = 0; a < axes; ++a) {
    if (block[a] < 1 || block[a] > kLimit || edges[2 * a] < 0 || edges[2 * a + 1] < 0 || edges[2 * a] > kLimit ||
        edges[2 * a + 1] > kLimit)
      return invalid(fmt::format("a block of {} with edges {} and {}", block[a], edges[2 * a], edges[2 * a + 1]));
    count *= block[a];
    // What SPACE_TO_BATCH_ND adds, BATCH_TO_SPACE_ND cuts: the blocks cover image and edges alike.
    if (blocked.shape()[a + 1] * block[a] != wide.shape()[a + 1] + edges[2 * a] + edges[2 * a + 1])
      return invalid(fmt::format("{} blocks of {} for {} elements with edges {} and {}", blocked.shape()[a + 1],
                                 block[a], wide.shape()[a + 1], edges[2 * a], edges[2 * a + 1]));
  }
  if (blocked.shape()[0] != wide.shape()[0] * count || blocked.shape().back() != wide.shape().back())
    return invalid(
        fmt::format("blocks of {} turn {} into {}", count, to_string(wide.shape()), to_string(blocked.shape())));
  BatchBlocks result;
  result.block_height = block[0];
  result.top = edges[0];
  result.wide = wide.shape();
  result.blocked = blocked.shape();
  if (axes == 2) {
    result.block_width = block[1];
    result.left = edges[2];
  } else {
    result.wide.insert(result.wide.begin() + 2, 1);
    result.blocked.insert(result.blocked.begin() + 2, 1);
  }
  return result;
}

}  // namespace macaw::tflite
