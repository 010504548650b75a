#include "reference/tflite/op/space_to_batch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{space_to_batch_nd.cc,batch_to_space_nd.cc},
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
    // BATCH_TO_SPACE_ND cuts the padding that SPACE_TO_BATCH_ND adds: the blocks cover image and edges alike.
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

namespace macaw::tflite::space_to_batch {
namespace {

/// Every byte outside the image is the low byte of the zero point (tensorflow/tensorflow @067922a31
/// tensorflow/lite/kernels/space_to_batch_nd.cc); TFLM writes 0.
Result<void> space_to_batch_nd(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_ASSIGN(const auto blocks, BatchBlocks::create(call, *in, out));
  std::int32_t zero_point = 0;
  if (is_quantized(in->dtype()) && call.outputs[0].quantization) {
    MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
    zero_point = to.zero_point;
  }
  const auto run = static_cast<std::size_t>(in->shape().back()) * size_of(in->dtype());
  const auto from = in->bytes();
  const auto to = out.uninitialized_bytes();
  blocks.for_each([&](std::int64_t blocked, std::int64_t wide) {
    const auto target = to.subspan(static_cast<std::size_t>(blocked) * run, run);
    if (wide < 0) std::ranges::fill(target, static_cast<std::byte>(zero_point));
    else std::ranges::copy(from.subspan(static_cast<std::size_t>(wide) * run, run), target.begin());
  });
  return {};
}

Result<void> batch_to_space_nd(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_ASSIGN(const auto blocks, BatchBlocks::create(call, out, *in));
  const auto run = static_cast<std::size_t>(in->shape().back()) * size_of(in->dtype());
  const auto from = in->bytes();
  const auto to = out.uninitialized_bytes();
  blocks.for_each([&](std::int64_t blocked, std::int64_t wide) {
    if (wide >= 0)
      std::ranges::copy(from.subspan(static_cast<std::size_t>(blocked) * run, run),
                        to.subspan(static_cast<std::size_t>(wide) * run, run).begin());
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"SPACE_TO_BATCH_ND", 3, 3, 1, 1, space_to_batch_nd},
    {"BATCH_TO_SPACE_ND", 3, 3, 1, 1, batch_to_space_nd},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::space_to_batch
