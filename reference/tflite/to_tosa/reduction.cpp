#include "reference/tflite/op/reductions.hpp"

#include <algorithm>

#include "reference/tflite/to_tosa/lowering.hpp"

namespace macaw::tflite {
namespace {

Result<Reduction> reduction_of(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  return Reduction::create(lowering.call);
}

ValueId reduce(Emitter& tosa, Op op, ValueId id, const std::vector<std::size_t>& axes) {
  for (const auto axis : axes) id = tosa.reduce(op, id, axis);
  return id;
}

Result<void> reduce(Lowering& lowering, Op op) {
  MACAW_ASSIGN(const Reduction reduction, reduction_of(lowering));
  MACAW_ASSIGN(const auto x, lowering.input(0));
  if (lowering.tosa.dtype(x) == DType::kFP32 && !lowering.is_rounded()) return unsupported_type(DType::kFP32);
  return lowering.output(reduce(lowering.tosa, op, x, reduction.axes));
}

Result<void> mean_or_sum(Lowering& lowering, bool is_mean) {
  const auto& call = lowering.call;
  const Operand& in = call.inputs[0];
  MACAW_ASSIGN(const Reduction reduction, reduction_of(lowering));
  MACAW_ASSIGN(auto x, lowering.input(0));
  if (in.value->dtype() == DType::kINT32)
    return lowering.output(reduce(lowering.tosa, Op::kREDUCE_SUM, x, reduction.axes));
  if (lowering.is_rounded()) {
    const auto sum = reduce(lowering.tosa, Op::kREDUCE_SUM, x, reduction.axes);
    if (!is_mean) return lowering.output(sum);
    const float share = 1.0F / static_cast<float>(reduction.count);
    return lowering.output(lowering.tosa.mul(sum, lowering.tosa.number(share, in.value->rank())));
  }
  if (!is_quantized(in.value->dtype())) return unsupported_type(in.value->dtype());
  MACAW_ASSIGN(const Affine from, lowering.affine(in));
  MACAW_ASSIGN(const Affine to, lowering.affine(call.outputs[0]));
  MACAW_ASSIGN(const auto ratio, mean_or_sum_ratio(from, to, reduction.count, is_mean));
  const Interval one = Lowering::offset_values(in, from);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (reduction.count > kMost / std::max(-one.min, one.max)) return unsupported("a sum that 32 bits need not hold");
  MACAW_ASSIGN(x, lowering.widen(x, from.zero_point));
  MACAW_ASSIGN(const Range range, lowering.range(schema::ActivationFunctionType::NONE));
  return lowering.finish(reduce(lowering.tosa, Op::kREDUCE_SUM, x, reduction.axes), ratio,
                         {one.min * reduction.count, one.max * reduction.count}, to, range);
}

Result<void> arg_best(Lowering& lowering, bool is_least) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_CHECK(expect(lowering.call.output(), DType::kINT32, "the output"));
  auto& tosa = lowering.tosa;
  const Tensor& in = *lowering.call.inputs[0].value;
  if (!is_quantized(in.dtype())) return unsupported_type(in.dtype());
  MACAW_ASSIGN(const auto axes, integers(*lowering.call.inputs[1].value, "the axis"));
  MACAW_ASSIGN(const std::size_t axis, normal_axis(axes[0], in.rank()));
  MACAW_ASSIGN(auto x, lowering.input(0));
  // The complement turns the order round.
  if (is_least) x = tosa.add_like(Op::kBITWISE_NOT, {x});
  return lowering.output(tosa.add(Op::kARGMAX, {x}, DType::kINT32, Shape(lowering.call.output().shape()),
                                  {{Attr::k_axis, static_cast<std::int64_t>(axis)},
                                   {Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate)}}));
}

}  // namespace

Result<void> lower_sum(Lowering& lowering) { return mean_or_sum(lowering, false); }
Result<void> lower_mean(Lowering& lowering) { return mean_or_sum(lowering, true); }
Result<void> lower_reduce_max(Lowering& lowering) { return reduce(lowering, Op::kREDUCE_MAX); }
Result<void> lower_reduce_min(Lowering& lowering) { return reduce(lowering, Op::kREDUCE_MIN); }
Result<void> lower_reduce_all(Lowering& lowering) { return reduce(lowering, Op::kREDUCE_ALL); }
Result<void> lower_reduce_any(Lowering& lowering) { return reduce(lowering, Op::kREDUCE_ANY); }
Result<void> lower_arg_max(Lowering& lowering) { return arg_best(lowering, false); }
Result<void> lower_arg_min(Lowering& lowering) { return arg_best(lowering, true); }

}  // namespace macaw::tflite
