#include <algorithm>

#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {
namespace {

/// [batches, rows, columns] of an operand of any rank, its batches repeated to those of the output.
ValueId matrices(Emitter& tosa, ValueId id, const Shape& batches, bool is_turned) {
  Shape shape = tosa.shape(id);
  shape.insert(shape.begin(), batches.size() + 2 - shape.size(), 1);
  id = tosa.reshape(id, shape);
  Shape times(shape.size(), 1);
  for (std::size_t i = 0; i < batches.size(); ++i) times[i] = batches[i] / shape[i];
  id = tosa.tile(id, times);
  const auto rows = shape[shape.size() - 2], columns = shape.back();
  id = tosa.reshape(id, {product(batches, 0, batches.size()), rows, columns});
  return is_turned ? tosa.transpose(id, {0, 2, 1}) : id;
}

}  // namespace

Result<void> lower_batch_matmul(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::BatchMatMulOptionsT>();
  const auto& call = lowering.call;
  auto& tosa = lowering.tosa;
  const DType dtype = call.output().dtype();
  if (dtype != DType::kINT8 && dtype != DType::kINT16 && !lowering.is_rounded()) return unsupported_type(dtype);
  const Shape& out = call.output().shape();
  const Shape batches(out.begin(), out.end() - 2);
  MACAW_ASSIGN(auto a, lowering.input(0));
  MACAW_ASSIGN(auto b, lowering.input(1));
  a = matrices(tosa, a, batches, options.adj_x);
  b = matrices(tosa, b, batches, options.adj_y);
  const Shape product = {tosa.shape(a)[0], tosa.shape(a)[1], tosa.shape(b)[2]};
  if (lowering.is_rounded())
    return lowering.output(tosa.add(Op::kMATMUL, {a, b, tosa.number(0), tosa.number(0)}, DType::kFP32, Shape(product)));
  MACAW_ASSIGN(const Affine left, lowering.affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine right, lowering.affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  // The product of the scales is in single precision.
  const float product_scale = left.scale * right.scale;
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{product_scale} / double{to.scale}));
  const auto a_zero = tosa.scalar(dtype, left.zero_point), b_zero = tosa.scalar(dtype, right.zero_point);
  const bool is_wide = dtype == DType::kINT16;
  const auto sums =
      tosa.add(Op::kMATMUL, {a, b, a_zero, b_zero}, is_wide ? DType::kINT48 : DType::kINT32, Shape(product));
  if (is_wide) {
    MACAW_ASSIGN(const auto scaled, lowering.rescale_wide(sums, {ratio}, tosa.shape(a)[2] << 30));
    return lowering.output(scaled);
  }
  constexpr std::int64_t kMostProduct = 255 * 255, kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t most = std::min(kMost, std::min(tosa.shape(a)[2], kMost / kMostProduct) * kMostProduct);
  MACAW_ASSIGN(const Range range, lowering.range(schema::ActivationFunctionType::NONE));
  return lowering.finish(sums, ratio, {-most, most}, to, range);
}

}  // namespace macaw::tflite
