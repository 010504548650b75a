#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {

Result<void> lower_by_table(Lowering& lowering);

Result<void> lower_quantize(Lowering& lowering) {
  const auto& call = lowering.call;
  const Operand& in = call.inputs[0];
  const DType from_type = in.value->dtype(), to_type = call.output().dtype();
  if (from_type == DType::kFP32) return unsupported("TOSA has no exact division of floats");
  if (size_of(from_type) == 1 && size_of(to_type) == 1) return lower_by_table(lowering);
  MACAW_ASSIGN(const Affine from, lowering.affine(in));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{from.scale} / double{to.scale}));
  MACAW_ASSIGN(const DType dtype, type_in_tosa(to_type));
  MACAW_ASSIGN(const auto x, lowering.input());
  MACAW_ASSIGN(const auto scaled, lowering.rescale(x, {.by = {ratio},
                                                       .to = dtype,
                                                       .in_zero = from.zero_point,
                                                       .out_zero = to.zero_point,
                                                       .values = Lowering::offset_values(in, from)}));
  return lowering.output(scaled);
}

/// The product of a scale and a number of 24 bits, rounded once, as the kernel's in double precision is.
Result<void> lower_dequantize(Lowering& lowering) {
  const Operand& in = lowering.call.inputs[0];
  auto& tosa = lowering.tosa;
  if (size_of(in.value->dtype()) > 2) return unsupported_type(in.value->dtype());
  MACAW_ASSIGN(const Affine from, lowering.affine(in));
  MACAW_ASSIGN(auto x, lowering.input());
  x = tosa.cast(x, DType::kINT32);
  const auto rank = tosa.shape(x).size();
  if (from.zero_point != 0) x = tosa.binary(Op::kSUB, x, tosa.scalar(DType::kINT32, from.zero_point, rank));
  Tensor scale(DType::kFP32, Shape(rank, 1));
  scale.data<float>()[0] = from.scale;
  return lowering.output(tosa.mul(tosa.cast(x, DType::kFP32), tosa.constant(std::move(scale))));
}

Result<void> lower_cast(Lowering& lowering) {
  MACAW_ASSIGN(auto x, lowering.input());
  const DType from = lowering.call.inputs[0].value->dtype(), to = lowering.call.output().dtype();
  for (const DType dtype : {from, to})
    if (dtype != DType::kBOOL && dtype != DType::kINT8 && dtype != DType::kINT16 && dtype != DType::kINT32)
      return unsupported_type(dtype);
  return lowering.output(lowering.tosa.cast(x, to));
}

}  // namespace macaw::tflite
