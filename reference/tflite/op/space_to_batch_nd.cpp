#include <algorithm>

#include "reference/tflite/op/batch_blocks.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/space_to_batch_nd.cc.
namespace macaw::tflite::SPACE_TO_BATCH_ND {
namespace {

/// Every byte outside the image is the low byte of the zero point.
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
  const auto to = out.bytes_to_fill();
  blocks.for_each([&](std::int64_t blocked, std::int64_t wide) {
    const auto target = to.subspan(static_cast<std::size_t>(blocked) * run, run);
    if (wide < 0) std::ranges::fill(target, static_cast<std::byte>(zero_point));
    else std::ranges::copy(from.subspan(static_cast<std::size_t>(wide) * run, run), target.begin());
  });
  return {};
}

}  // namespace

extern constexpr Definition kDefinition = {"SPACE_TO_BATCH_ND", 3, 3, 1, 1, space_to_batch_nd};

}  // namespace macaw::tflite::SPACE_TO_BATCH_ND
