#include <algorithm>

#include "reference/tflite/op/batch_blocks.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/batch_to_space_nd.cc.
namespace macaw::tflite::BATCH_TO_SPACE_ND {
namespace {

Result<void> batch_to_space_nd(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  Tensor& out = call.output();
  MACAW_ASSIGN(const auto blocks, BatchBlocks::create(call, out, *in));
  const auto run = static_cast<std::size_t>(in->shape().back()) * size_of(in->dtype());
  const auto from = in->bytes();
  const auto to = out.bytes_to_fill();
  blocks.for_each([&](std::int64_t blocked, std::int64_t wide) {
    if (wide >= 0)
      std::ranges::copy(from.subspan(static_cast<std::size_t>(blocked) * run, run),
                        to.subspan(static_cast<std::size_t>(wide) * run, run).begin());
  });
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"BATCH_TO_SPACE_ND", 3, 3, 1, 1, batch_to_space_nd};

}  // namespace macaw::tflite::BATCH_TO_SPACE_ND
