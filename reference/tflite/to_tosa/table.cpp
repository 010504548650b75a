#include <algorithm>
#include <tuple>

#include "reference/tflite/function_tables.hpp"
#include "reference/tflite/to_tosa/lowering.hpp"

// Functions of one element: a table with the kernel's result for every value. Other operands are constants of one
// element.
namespace macaw::tflite {
namespace {

/// The only input that is not a constant; the others have one element.
Result<std::size_t> argument_of(const Lowering& lowering) {
  std::optional<std::size_t> argument;
  for (std::size_t i = 0; i < lowering.call.inputs.size(); ++i) {
    if (lowering.is_constant(i) && lowering.call.inputs[i].value->size() == 1) continue;
    if (argument) return unsupported("it has no exact form in TOSA but with constants of one element");
    argument = i;
  }
  return *argument;
}

/// A function of 16 bits as elements gathered from all 65536 of its values.
Result<void> by_gather(Lowering& lowering, std::size_t argument, Tensor entries) {
  auto& tosa = lowering.tosa;
  const std::int64_t count = entries.size();
  entries.reshape({1, count, 1});
  MACAW_ASSIGN(const auto table, add_constant(tosa, entries));
  MACAW_ASSIGN(auto x, lowering.input(argument));
  x = tosa.cast(x, DType::kINT32);
  x = tosa.reshape(x, {1, product(tosa.shape(x), 0, tosa.shape(x).size())});
  x = tosa.binary(Op::kADD, x, tosa.scalar(DType::kINT32, count / 2, 2));
  return lowering.output(tosa.gather(table, x));
}

/// A function of values from `least` on; of lower ones its kernel gives nothing.
Result<void> by_table(Lowering& lowering, std::int64_t least) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const std::size_t argument, argument_of(lowering));
  const Tensor& in = *lowering.call.inputs[argument].value;
  const DType dtype = in.dtype();
  if (in.size() != lowering.call.output().size() || size_of(lowering.call.output().dtype()) != size_of(dtype))
    return unsupported("a table whose input is broadcast, or of another size than its output");
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  MACAW_ASSIGN(Tensor entries, lowering.evaluate(argument, all_values(dtype, least)));
  if (dtype == DType::kINT16) return by_gather(lowering, argument, std::move(entries));
  MACAW_ASSIGN(const auto table, add_constant(tosa, entries));
  MACAW_ASSIGN(const auto x, lowering.input(argument));
  return lowering.output(tosa.add_like(Op::kTABLE, {x, table}));
}

Result<void> lower_float_div(Lowering& lowering) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const auto x, lowering.input(0));
  MACAW_ASSIGN(const auto y, lowering.input(1));
  const auto options = lowering.call.options_or_default<schema::DivOptionsT>();
  return finish_floats(lowering, tosa.mul(x, tosa.add_like(Op::kRECIPROCAL, {y})), options.fused_activation_function);
}

}  // namespace

Result<void> lower_by_table(Lowering& lowering) {
  if (lowering.is_rounded()) return lower_float_function(lowering);
  return by_table(lowering, std::numeric_limits<std::int64_t>::min());
}

Result<void> lower_rsqrt(Lowering& lowering) {
  if (lowering.is_rounded()) return lower_float_function(lowering);
  MACAW_ASSIGN(const Affine from, affine(lowering.call.inputs[0]));
  return by_table(lowering, from.zero_point);
}

Result<void> lower_neg(Lowering& lowering) {
  auto& tosa = lowering.tosa;
  const DType dtype = lowering.call.output().dtype();
  // NEGATE clips what TensorFlow Lite wraps.
  if (dtype != DType::kINT32 && dtype != DType::kFP32) return lower_by_table(lowering);
  MACAW_ASSIGN(const auto x, lowering.input());
  const auto zero = tosa.constant(Tensor(dtype, {1}));
  return lowering.output(tosa.add_like(Op::kNEGATE, {x, zero, zero}));
}

Result<void> lower_div(Lowering& lowering) {
  if (lowering.is_rounded()) return lower_float_div(lowering);
  const auto& [a, b] = std::tie(*lowering.call.inputs[0].value, *lowering.call.inputs[1].value);
  // The kernel divides floats where nothing is broadcast.
  if (a.dtype() == DType::kINT16 && a.shape() == b.shape()) return unsupported("quotients of floats");
  return lower_by_table(lowering);
}

}  // namespace macaw::tflite
