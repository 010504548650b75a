#include "reference/tflite/op/softmax.hpp"

#include <algorithm>

#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {
namespace {

/// INT32 arithmetic with constants that are broadcast.
class Arithmetic {
 public:
  Arithmetic(Emitter& tosa, std::size_t rank) : tosa_(tosa), rank_(rank) {}

  ValueId number(std::int64_t value) { return tosa_.scalar(DType::kINT32, value, rank_); }
  ValueId operator()(Op op, ValueId a, ValueId b) { return tosa_.binary(op, a, b); }
  ValueId shifted_right(ValueId a, ValueId by, bool is_rounded) {
    return tosa_.add(Op::kARITHMETIC_RIGHT_SHIFT, {a, by}, DType::kINT32, Shape(tosa_.shape(a)),
                     {{Attr::k_round, std::int64_t{is_rounded}}});
  }
  /// doubling_high_mul()
  ValueId high(ValueId a, ValueId b) { return tosa_.mul(a, b, 31); }

 private:
  Emitter& tosa_;
  std::size_t rank_;
};

/// one_over_one_plus() of a positive fraction: three steps of Newton's method.
ValueId reciprocal(Emitter& tosa, Arithmetic& math, ValueId fraction) {
  constexpr std::int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29, kHalf = 1 << 30;
  const auto half = math(Op::kADD, math.shifted_right(fraction, math.number(1), false), math.number(kHalf));
  auto r = math(Op::kADD, math.high(half, math.number(kMinus32Over17)), math.number(k48Over17));
  for (int i = 0; i < 3; ++i) {
    const auto error = math(Op::kSUB, math.number(kOne), math.high(half, r));
    r = math(Op::kADD, r, tosa.mul(math.high(r, error), math.number(4)));
  }
  // Twice r; 2^31 saturates.
  const auto is_one = tosa.binary(Op::kGREATER_EQUAL, r, math.number(kHalf), DType::kBOOL);
  const auto twice = tosa.mul(math(Op::kMINIMUM, r, math.number(kHalf - 1)), math.number(2));
  const auto most = math.number(std::numeric_limits<std::int32_t>::max());
  return tosa.add(Op::kSELECT, {is_one, most, twice}, DType::kINT32, Shape(tosa.shape(r)));
}

/// Bits [first, first + 15) of the exponential of a difference, which is given in 128ths: between its entries a table
/// of INT16 has lines, which nothing meets.
Result<ValueId> part_of_exponential(Lowering& lowering, ValueId x, const SoftmaxScaling& scaling, int first) {
  auto& tosa = lowering.tosa;
  constexpr std::int32_t kEntries = 513, kZero = 256;
  Tensor table(DType::kINT16, {kEntries});
  for (std::int32_t i = 0; i < kEntries; ++i)
    table.data<std::int16_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::int16_t>(scaling.exponential(std::min(i - kZero, 0)) >> first & 0x7FFF);
  const auto times_128 =
      tosa.add(Op::kTABLE, {x, tosa.constant(std::move(table))}, DType::kINT32, Shape(tosa.shape(x)));
  constexpr Interval kValues = {0, 32767 * 128};
  constexpr FixedMultiplier kBy128th{1 << 23, 1};
  return lowering.rescale(times_128, {.by = {kBy128th}, .to = DType::kINT16, .values = kValues});
}

/// The exponential of each difference from the largest of its row.
Result<ValueId> exponentials(Lowering& lowering, ValueId x, const SoftmaxScaling& scaling) {
  auto& tosa = lowering.tosa;
  const std::size_t rank = tosa.shape(x).size();
  const auto largest = tosa.cast(tosa.reduce(Op::kREDUCE_MAX, x, rank - 1), DType::kINT32);
  const auto difference = tosa.binary(Op::kSUB, tosa.cast(x, DType::kINT32), largest);
  constexpr FixedMultiplier kBy128{1 << 30, 8};
  MACAW_ASSIGN(const auto index,
               lowering.rescale(difference, {.by = {kBy128}, .to = DType::kINT16, .values = {-255, 0}}));
  std::optional<ValueId> sum;
  for (const int first : {0, 15, 30}) {
    MACAW_ASSIGN(auto part, part_of_exponential(lowering, index, scaling, first));
    part = tosa.cast(part, DType::kINT32);
    if (first > 0) part = tosa.binary(Op::kLOGICAL_LEFT_SHIFT, part, tosa.scalar(DType::kINT32, first, rank));
    sum = sum ? tosa.binary(Op::kADD, *sum, part) : part;
  }
  return *sum;
}

/// The function of INT16 x whose lines are given: TABLE's, in 128ths, to the nearest.
Result<ValueId> on_lines(Lowering& lowering, ValueId x, const FunctionLines& lines) {
  auto& tosa = lowering.tosa;
  Tensor table(DType::kINT16, {static_cast<std::int64_t>(lines.size())});
  std::ranges::copy(lines, table.data<std::int16_t>().begin());
  const auto times_128 =
      tosa.add(Op::kTABLE, {x, tosa.constant(std::move(table))}, DType::kINT32, Shape(tosa.shape(x)));
  constexpr Interval kValues = {-32768 * 128, 32767 * 128};
  constexpr FixedMultiplier kBy128th{1 << 23, 1};
  return lowering.rescale(times_128, {.by = {kBy128th}, .values = kValues});
}

Result<void> lower_softmax_int16(Lowering& lowering, float beta) {
  auto& tosa = lowering.tosa;
  const Tensor& in = *lowering.call.inputs[0].value;
  MACAW_ASSIGN(const Affine from, lowering.affine(lowering.call.inputs[0]));
  MACAW_ASSIGN(const auto scaling, SoftmaxInt16Scaling::create(beta, from.scale));
  MACAW_ASSIGN(const auto x, lowering.input());
  Arithmetic math(tosa, in.rank());
  const std::size_t axis = in.rank() - 1;
  const auto largest = tosa.cast(tosa.reduce(Op::kREDUCE_MAX, x, axis), DType::kINT32);
  const auto difference = math(Op::kSUB, tosa.cast(x, DType::kINT32), largest);
  MACAW_ASSIGN(const auto scaled, lowering.rescale(difference, {.by = {scaling.multiplier}, .values = {-65535, 0}}));
  const auto place = math(Op::kMAXIMUM, math(Op::kADD, scaled, math.number(32767)), math.number(-32768));
  MACAW_ASSIGN(const auto values,
               on_lines(lowering, tosa.cast(place, DType::kINT16), SoftmaxInt16Scaling::exponential()));
  const auto sum = tosa.reduce(Op::kREDUCE_SUM, values, axis);
  const auto zeros = tosa.add_like(Op::kCLZ, {sum});
  // The 17 uppermost bits, the first of which is 2^16, minus 2^16 and minus half the range of the others.
  const auto upper = math.shifted_right(math(Op::kLOGICAL_LEFT_SHIFT, sum, math(Op::kSUB, zeros, math.number(1))),
                                        math.number(14), true);
  const auto fraction =
      math(Op::kMINIMUM, math(Op::kSUB, upper, math.number((1 << 16) + (1 << 15))), math.number(32767));
  MACAW_ASSIGN(const auto reciprocal,
               on_lines(lowering, tosa.cast(fraction, DType::kINT16), SoftmaxInt16Scaling::reciprocal()));
  const auto result = math.shifted_right(tosa.mul(values, reciprocal), math(Op::kSUB, math.number(31), zeros), true);
  return lowering.output(tosa.cast(math(Op::kMINIMUM, result, math.number(32767)), DType::kINT16));
}

}  // namespace

Result<void> lower_softmax(Lowering& lowering) {
  const auto options = lowering.call.options_or_default<schema::SoftmaxOptionsT>();
  const Tensor& in = *lowering.call.inputs[0].value;
  auto& tosa = lowering.tosa;
  if (lowering.is_rounded()) return lower_float_softmax(lowering, options.beta);
  if (in.dtype() == DType::kINT16) return lower_softmax_int16(lowering, options.beta);
  if (in.dtype() != DType::kINT8 && in.dtype() != DType::kUINT8) return unsupported_type(in.dtype());
  constexpr std::int64_t kMostElements = (1 << kSoftmaxSumBits) - 1;
  if (in.shape().back() > kMostElements) return unsupported("a sum of 4096 exponentials or more");
  MACAW_ASSIGN(const Affine from, lowering.affine(lowering.call.inputs[0]));
  MACAW_ASSIGN(const auto scaling, SoftmaxScaling::create(options.beta, from.scale));
  MACAW_ASSIGN(const auto x, lowering.input());
  Arithmetic math(tosa, in.rank());
  MACAW_ASSIGN(const auto values, exponentials(lowering, x, scaling));
  const auto sum =
      tosa.reduce(Op::kREDUCE_SUM, math.shifted_right(values, math.number(kSoftmaxSumBits), true), in.rank() - 1);
  const auto zeros = tosa.add_like(Op::kCLZ, {sum});
  // The uppermost bit, which is the sign here, is not part of it.
  const auto fraction =
      math(Op::kSUB, math(Op::kLOGICAL_LEFT_SHIFT, sum, zeros), math.number(std::numeric_limits<std::int32_t>::min()));
  MACAW_ASSIGN(const DType dtype, type_in_tosa(lowering.call.output().dtype()));
  const auto bits = static_cast<std::int64_t>(8 * size_of(dtype));
  const auto shift = math(Op::kSUB, math.number(kSoftmaxSumBits + 31 - bits), zeros);
  auto result = math.shifted_right(math.high(values, reciprocal(tosa, math, fraction)), shift, true);
  const std::int64_t low = -(std::int64_t{1} << (bits - 1));
  result = math(Op::kMINIMUM, math(Op::kADD, result, math.number(low)), math.number(-low - 1));
  return lowering.output(tosa.cast(result, dtype));
}

}  // namespace macaw::tflite
