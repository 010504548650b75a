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
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(auto x, lowering.input());
  const DType from = lowering.call.inputs[0].value->dtype(), to = lowering.call.output().dtype();
  for (const DType dtype : {from, to})
    if (dtype != DType::kBOOL && dtype != DType::kINT8 && dtype != DType::kINT16 && dtype != DType::kINT32 &&
        dtype != DType::kFP32)
      return unsupported_type(dtype);
  if (from == DType::kBOOL && to == DType::kFP32) x = tosa.cast(x, DType::kINT8);
  if (from != DType::kFP32 || to == DType::kFP32) return lowering.output(tosa.cast(x, to));
  const auto zero = tosa.constant(Tensor(DType::kFP32, Shape(tosa.shape(x).size(), 1)));
  if (to == DType::kBOOL) {
    const auto is_zero = tosa.binary(Op::kEQUAL, x, zero, DType::kBOOL);
    return lowering.output(tosa.add_like(Op::kLOGICAL_NOT, {is_zero}));
  }
  // Towards zero, where CAST rounds to the nearest.
  const auto is_positive = tosa.binary(Op::kGREATER, x, zero, DType::kBOOL);
  x = tosa.add(Op::kSELECT, {is_positive, tosa.add_like(Op::kFLOOR, {x}), tosa.add_like(Op::kCEIL, {x})}, DType::kFP32,
               Shape(tosa.shape(x)));
  return lowering.output(tosa.cast(x, to));
}

Result<void> lower_to_whole(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, lowering.input());
  const Op op = lowering.call.name == "FLOOR" ? Op::kFLOOR : Op::kCEIL;
  return lowering.output(lowering.tosa.add_like(op, {x}));
}

}  // namespace macaw::tflite
