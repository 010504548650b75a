#include "reference/tflite/to_tosa/lowering.hpp"

// Operators that choose or compare. TOSA compares 32-bit integers and floats.
namespace macaw::tflite {
namespace {

Result<ValueId> as_int32(Lowering& lowering, std::size_t index) {
  MACAW_ASSIGN(const auto x, lowering.input(index));
  if (lowering.tosa.dtype(x) == DType::kFP32) return unsupported_type(DType::kFP32);
  return lowering.tosa.cast(x, DType::kINT32);
}

Result<void> better_of(Lowering& lowering, Op op) {
  if (lowering.is_rounded()) {
    MACAW_ASSIGN(const auto x, lowering.input(0));
    MACAW_ASSIGN(const auto y, lowering.input(1));
    return lowering.output(lowering.tosa.binary(op, x, y));
  }
  MACAW_ASSIGN(const auto x, as_int32(lowering, 0));
  MACAW_ASSIGN(const auto y, as_int32(lowering, 1));
  MACAW_ASSIGN(const DType dtype, type_in_tosa(lowering.call.output().dtype()));
  return lowering.output(lowering.tosa.cast(lowering.tosa.binary(op, x, y), dtype));
}

/// Bytes are brought to one scale first, with 8 bits below the point.
Result<ValueId> comparable(Lowering& lowering, std::size_t index) {
  const Operand& operand = lowering.call.inputs[index];
  const DType dtype = operand.value->dtype();
  if (dtype == DType::kFP32) return lowering.input(index);
  if (dtype != DType::kINT8 && dtype != DType::kUINT8) return as_int32(lowering, index);
  constexpr int kLeftShift = 8;
  MACAW_ASSIGN(const Affine affine, lowering.affine(operand));
  MACAW_ASSIGN(const auto by, fraction_multiplier(double{affine.scale}));
  const Interval values = Lowering::offset_values(operand, affine);
  MACAW_ASSIGN(auto x, lowering.input(index));
  MACAW_ASSIGN(
      x, lowering.rescale(x, {.by = {{1 << 30, kLeftShift + 1}}, .in_zero = affine.zero_point, .values = values}));
  return lowering.rescale(x, {.by = {by}, .values = {values.min << kLeftShift, values.max << kLeftShift}});
}

enum class Turn { kNo, kOperands, kResult };

Result<void> compare(Lowering& lowering, Op op, Turn turn) {
  MACAW_ASSIGN(auto x, comparable(lowering, 0));
  MACAW_ASSIGN(auto y, comparable(lowering, 1));
  if (turn == Turn::kOperands) std::swap(x, y);
  auto result = lowering.tosa.binary(op, x, y, DType::kBOOL);
  if (turn == Turn::kResult) result = lowering.tosa.add_like(Op::kLOGICAL_NOT, {result});
  return lowering.output(result);
}

Result<void> logical(Lowering& lowering, Op op) {
  MACAW_ASSIGN(const auto x, lowering.input(0));
  MACAW_ASSIGN(const auto y, lowering.input(1));
  return lowering.output(lowering.tosa.binary(op, x, y));
}

}  // namespace

Result<void> lower_maximum(Lowering& lowering) { return better_of(lowering, Op::kMAXIMUM); }
Result<void> lower_minimum(Lowering& lowering) { return better_of(lowering, Op::kMINIMUM); }

Result<void> lower_equal(Lowering& lowering) { return compare(lowering, Op::kEQUAL, Turn::kNo); }
Result<void> lower_not_equal(Lowering& lowering) { return compare(lowering, Op::kEQUAL, Turn::kResult); }
Result<void> lower_greater(Lowering& lowering) { return compare(lowering, Op::kGREATER, Turn::kNo); }
Result<void> lower_greater_equal(Lowering& lowering) { return compare(lowering, Op::kGREATER_EQUAL, Turn::kNo); }
Result<void> lower_less(Lowering& lowering) { return compare(lowering, Op::kGREATER, Turn::kOperands); }
Result<void> lower_less_equal(Lowering& lowering) { return compare(lowering, Op::kGREATER_EQUAL, Turn::kOperands); }

Result<void> lower_logical_and(Lowering& lowering) { return logical(lowering, Op::kLOGICAL_AND); }
Result<void> lower_logical_or(Lowering& lowering) { return logical(lowering, Op::kLOGICAL_OR); }
Result<void> lower_logical_not(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, lowering.input());
  return lowering.output(lowering.tosa.add_like(Op::kLOGICAL_NOT, {x}));
}

Result<void> lower_select(Lowering& lowering) {
  auto& tosa = lowering.tosa;
  const Shape& out = lowering.call.output().shape();
  std::array<ValueId, 3> operands{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    MACAW_ASSIGN(operands[i], lowering.input(i));
    Shape shape = tosa.shape(operands[i]);
    // SELECT: a condition of rank 1 chooses slices along the first axis.
    if (i == 0 && lowering.call.name == "SELECT" && shape.size() == 1 && out.size() > 1 && shape[0] == out[0])
      shape.resize(out.size(), 1);
    shape.insert(shape.begin(), out.size() - shape.size(), 1);
    operands[i] = tosa.reshape(operands[i], std::move(shape));
  }
  return lowering.output(
      tosa.add(Op::kSELECT, {operands[0], operands[1], operands[2]}, tosa.dtype(operands[1]), Shape(out)));
}

}  // namespace macaw::tflite
