#include "reference/tflite/op/space_to_batch.hpp"
#include "reference/tflite/quantization.hpp"
#include "reference/tflite/to_tosa/lowering.hpp"

// Pixels in blocks: a reshape to the axes of blocks and within them, and a permutation of these.
namespace macaw::tflite {

Result<void> lower_space_to_depth(Lowering& lowering) {
  const auto block = std::int64_t{lowering.call.options_or_default<schema::SpaceToDepthOptionsT>().block_size};
  auto& tosa = lowering.tosa;
  const Shape &in = lowering.call.inputs[0].value->shape(), &out = lowering.call.output().shape();
  MACAW_ASSIGN(const auto x, lowering.input());
  const auto blocks = tosa.reshape(x, {in[0], out[1], block, out[2], block, in[3]});
  return lowering.output(tosa.transpose(blocks, {0, 1, 3, 2, 4, 5}));
}

Result<void> lower_depth_to_space(Lowering& lowering) {
  const auto block = std::int64_t{lowering.call.options_or_default<schema::DepthToSpaceOptionsT>().block_size};
  auto& tosa = lowering.tosa;
  const Shape &in = lowering.call.inputs[0].value->shape(), &out = lowering.call.output().shape();
  MACAW_ASSIGN(const auto x, lowering.input());
  const auto blocks = tosa.reshape(x, {in[0], in[1], in[2], block, block, out[3]});
  return lowering.output(tosa.transpose(blocks, {0, 1, 3, 2, 4, 5}));
}

Result<void> lower_space_to_batch_nd(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_CHECK(lowering.expect_constant(2));
  auto& tosa = lowering.tosa;
  const auto& call = lowering.call;
  MACAW_ASSIGN(const auto b, BatchBlocks::create(call, *call.inputs[0].value, call.output()));
  MACAW_ASSIGN(auto x, lowering.input());
  std::int32_t zero = 0;
  if (is_quantized(call.output().dtype()) && call.outputs[0].quantization) {
    MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
    zero = to.zero_point;
    if (call.output().dtype() == DType::kINT16 && zero != 0) return unsupported("int16 with a zero point");
  }
  const std::int64_t rows = b.blocked[1], columns = b.blocked[2], depth = b.wide[3];
  const std::int64_t bottom = rows * b.block_height - b.wide[1] - b.top,
                     right = columns * b.block_width - b.wide[2] - b.left;
  x = tosa.pad(tosa.reshape(x, b.wide), {0, 0, b.top, bottom, b.left, right, 0, 0}, tosa.scalar(tosa.dtype(x), zero));
  x = tosa.reshape(x, {b.wide[0], rows, b.block_height, columns, b.block_width, depth});
  return lowering.output(tosa.transpose(x, {2, 4, 0, 1, 3, 5}));
}

Result<void> lower_batch_to_space_nd(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_CHECK(lowering.expect_constant(2));
  auto& tosa = lowering.tosa;
  const auto& call = lowering.call;
  MACAW_ASSIGN(const auto b, BatchBlocks::create(call, call.output(), *call.inputs[0].value));
  MACAW_ASSIGN(auto x, lowering.input());
  const std::int64_t rows = b.blocked[1], columns = b.blocked[2], depth = b.wide[3];
  x = tosa.reshape(x, {b.block_height, b.block_width, b.wide[0], rows, columns, depth});
  x = tosa.transpose(x, {2, 3, 0, 4, 1, 5});
  x = tosa.reshape(x, {b.wide[0], rows * b.block_height, columns * b.block_width, depth});
  return lowering.output(tosa.slice(x, {0, b.top, b.left, 0}, b.wide));
}

}  // namespace macaw::tflite
