#include <algorithm>

#include "reference/tflite/op/arithmetic.hpp"
#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {
namespace {

/// x - its zero point, shifted to the left and scaled by a fraction.
Result<ValueId> shifted_and_scaled(Lowering& lowering, std::size_t index, Affine affine, int left, FixedMultiplier by) {
  const Operand& operand = lowering.call.inputs[index];
  const Interval values = Lowering::offset_values(operand, affine);
  MACAW_ASSIGN(auto x, lowering.input(index));
  // One half of a number with zeros below it is exact: both steps are one.
  constexpr FixedMultiplier kHalf{1 << 30, 0};
  if (by.multiplier == kHalf.multiplier && by.shift == kHalf.shift && left > 0)
    return lowering.rescale(x, {.by = {{kHalf.multiplier, left}}, .in_zero = affine.zero_point, .values = values});
  if (left > 0) {
    // A shift of 16 bits by as many has no RESCALE.
    if (lowering.tosa.dtype(x) == DType::kINT8) {
      MACAW_ASSIGN(x,
                   lowering.rescale(x, {.by = {{1 << 30, left + 1}}, .in_zero = affine.zero_point, .values = values}));
    } else {
      MACAW_ASSIGN(x, lowering.widen(x, affine.zero_point));
      x = lowering.tosa.binary(Op::kLOGICAL_LEFT_SHIFT, x, lowering.tosa.scalar(DType::kINT32, left));
    }
  } else {
    MACAW_ASSIGN(x, lowering.widen(x, affine.zero_point));
  }
  const std::int64_t factor = std::int64_t{1} << left;
  return lowering.rescale(x, {.by = {by}, .values = {values.min * factor, values.max * factor}});
}

Result<void> add_or_sub(Lowering& lowering, Op op, schema::ActivationFunctionType activation, ScalesOf scales_of) {
  const auto& call = lowering.call;
  const DType dtype = call.output().dtype();
  if (dtype == DType::kINT32) {
    MACAW_ASSIGN(const auto x, lowering.input(0));
    MACAW_ASSIGN(const auto y, lowering.input(1));
    return lowering.output(lowering.tosa.binary(op, x, y));
  }
  if (lowering.is_rounded()) {
    MACAW_ASSIGN(const auto x, lowering.input(0));
    MACAW_ASSIGN(const auto y, lowering.input(1));
    return finish_floats(lowering, lowering.tosa.binary(op, x, y), activation);
  }
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine a, lowering.affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, lowering.affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  const int left = sum_left_shift(dtype);
  MACAW_ASSIGN(const SumScales s, scales_of(a.scale, b.scale, to.scale, left));
  MACAW_ASSIGN(const Range range, lowering.range(activation));
  MACAW_ASSIGN(const auto x, shifted_and_scaled(lowering, 0, a, left, s.a));
  MACAW_ASSIGN(const auto y, shifted_and_scaled(lowering, 1, b, left, s.b));
  // Each of them is half of at most 2^16 * 2^15 or 2^8 * 2^20.
  constexpr Interval kSum = {-(std::int64_t{1} << 30), (std::int64_t{1} << 30) - 1};
  return lowering.finish(lowering.tosa.binary(op, x, y), s.out, kSum, to, range);
}

}  // namespace

Result<void> lower_add(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::AddOptionsT>();
  return add_or_sub(lowering, Op::kADD, options.fused_activation_function, add_scales);
}

Result<void> lower_sub(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::SubOptionsT>();
  return add_or_sub(lowering, Op::kSUB, options.fused_activation_function, sub_scales);
}

Result<void> lower_mul(Lowering& lowering) {
  const auto& call = lowering.call;
  const DType dtype = call.output().dtype();
  const auto activation = call.options_or_default<schema::MulOptionsT>().fused_activation_function;
  if (dtype == DType::kINT32 || lowering.is_rounded()) {
    MACAW_ASSIGN(const auto x, lowering.input(0));
    MACAW_ASSIGN(const auto y, lowering.input(1));
    const auto products = lowering.tosa.mul(x, y);
    return dtype == DType::kINT32 ? lowering.output(products) : finish_floats(lowering, products, activation);
  }
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine a, lowering.affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, lowering.affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  MACAW_ASSIGN(const auto ratio, fixed_multiplier(double{a.scale} * double{b.scale} / double{to.scale}));
  MACAW_ASSIGN(const Range range, lowering.range(activation));
  MACAW_ASSIGN(auto x, lowering.input(0));
  MACAW_ASSIGN(auto y, lowering.input(1));
  MACAW_ASSIGN(x, lowering.widen(x, a.zero_point));
  MACAW_ASSIGN(y, lowering.widen(y, b.zero_point));
  const Interval u = Lowering::offset_values(call.inputs[0], a), v = Lowering::offset_values(call.inputs[1], b);
  const auto [least, most] = std::minmax({u.min * v.min, u.min * v.max, u.max * v.min, u.max * v.max});
  return lowering.finish(lowering.tosa.mul(x, y), ratio, {least, most}, to, range);
}

Result<void> lower_squared_difference(Lowering& lowering) {
  const auto& call = lowering.call;
  const DType dtype = call.output().dtype();
  if (dtype == DType::kINT32 || lowering.is_rounded()) {
    MACAW_ASSIGN(const auto left, lowering.input(0));
    MACAW_ASSIGN(const auto right, lowering.input(1));
    const auto distance = lowering.tosa.binary(Op::kSUB, left, right);
    return lowering.output(lowering.tosa.mul(distance, distance));
  }
  if (dtype != DType::kINT8 && dtype != DType::kUINT8) return unsupported_type(dtype);
  constexpr int kLeftShift = 7;
  MACAW_ASSIGN(const Affine a, lowering.affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine b, lowering.affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  MACAW_ASSIGN(const auto s, squared_difference_scales(a.scale, b.scale, to.scale, kLeftShift));
  MACAW_ASSIGN(const auto x, shifted_and_scaled(lowering, 0, a, kLeftShift, s.a));
  MACAW_ASSIGN(const auto y, shifted_and_scaled(lowering, 1, b, kLeftShift, s.b));
  const auto difference = lowering.tosa.binary(Op::kSUB, x, y);
  const auto squared = lowering.tosa.mul(difference, difference);
  // Halves of at most 2^8 * 2^7.
  MACAW_ASSIGN(const Range range, lowering.range(schema::ActivationFunctionType::NONE));
  return lowering.finish(squared, s.out, {0, (std::int64_t{1} << 30) - 1}, to, range);
}

Result<void> lower_prelu(Lowering& lowering) {
  const auto& call = lowering.call;
  if (lowering.is_rounded()) return lower_float_function(lowering);
  const DType dtype = call.output().dtype();
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  MACAW_ASSIGN(const Affine from, lowering.affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine by, lowering.affine(call.inputs[1]));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  MACAW_ASSIGN(const auto positive, fixed_multiplier(double{from.scale} / double{to.scale}));
  MACAW_ASSIGN(const auto negative, fixed_multiplier(double{from.scale} * double{by.scale} / double{to.scale}));
  MACAW_ASSIGN(auto x, lowering.input(0));
  MACAW_ASSIGN(auto alpha, lowering.input(1));
  MACAW_ASSIGN(x, lowering.widen(x, from.zero_point));
  MACAW_ASSIGN(alpha, lowering.widen(alpha, by.zero_point));
  const Interval u = Lowering::offset_values(call.inputs[0], from), v = Lowering::offset_values(call.inputs[1], by);
  MACAW_ASSIGN(const auto above, lowering.rescale(x, {.by = {positive}, .values = u}));
  const auto [least, most] = std::minmax({u.min * v.min, u.min * v.max, u.max * v.min, u.max * v.max});
  MACAW_ASSIGN(const auto below,
               lowering.rescale(lowering.tosa.mul(x, alpha), {.by = {negative}, .values = {least, most}}));
  auto& tosa = lowering.tosa;
  const auto zero = tosa.scalar(DType::kINT32, 0, tosa.shape(x).size());
  const auto is_positive = tosa.binary(Op::kGREATER_EQUAL, x, zero, DType::kBOOL);
  const auto chosen = tosa.add(Op::kSELECT, {is_positive, above, below}, DType::kINT32, Shape(tosa.shape(below)));
  MACAW_ASSIGN(const Range range, lowering.range(schema::ActivationFunctionType::NONE));
  constexpr FixedMultiplier kOne{1 << 30, 1};
  const Interval p = scaled(u, positive), n = scaled({least, most}, negative);
  return lowering.finish(chosen, kOne, {std::min(p.min, n.min), std::max(p.max, n.max)}, to, range);
}

}  // namespace macaw::tflite
