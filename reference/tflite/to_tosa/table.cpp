#include <numeric>

#include "reference/tflite/to_tosa/lowering.hpp"

// Functions of one element: a table of what the kernel makes of every value. Other operands are constants of one
// element.
namespace macaw::tflite {
namespace {

/// The one input that is no constant; the others have one element.
Result<std::size_t> argument_of(const Lowering& lowering) {
  std::optional<std::size_t> argument;
  for (std::size_t i = 0; i < lowering.call.inputs.size(); ++i) {
    if (lowering.is_constant(i) && lowering.call.inputs[i].value->size() == 1) continue;
    if (argument) return unsupported("it has no exact form in TOSA but with constants of one element");
    argument = i;
  }
  return *argument;
}

/// Every value of T, from the least on.
template <class T>
Tensor all_values(DType dtype) {
  constexpr std::int64_t kCount = std::int64_t{1} << (8 * sizeof(T));
  Tensor values(dtype, {kCount});
  std::iota(values.data<T>().begin(), values.data<T>().end(), std::numeric_limits<T>::min());
  return values;
}

/// A function of 16 bits as elements gathered from all 65536 of its values.
Result<void> by_gather(Lowering& lowering, std::size_t argument) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(Tensor entries, lowering.evaluate(argument, all_values<std::int16_t>(DType::kINT16)));
  const std::int64_t count = entries.size();
  entries.reshape({1, count, 1});
  MACAW_ASSIGN(const auto table, add_constant(tosa, entries));
  MACAW_ASSIGN(auto x, lowering.input(argument));
  x = tosa.cast(x, DType::kINT32);
  x = tosa.reshape(x, {1, product(tosa.shape(x), 0, tosa.shape(x).size())});
  x = tosa.binary(Op::kADD, x, tosa.scalar(DType::kINT32, count / 2, 2));
  return lowering.output(tosa.gather(table, x));
}

}  // namespace

Result<void> lower_by_table(Lowering& lowering) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const std::size_t argument, argument_of(lowering));
  const Tensor& in = *lowering.call.inputs[argument].value;
  const DType dtype = in.dtype();
  if (in.size() != lowering.call.output().size() || size_of(lowering.call.output().dtype()) != size_of(dtype))
    return unsupported("a table whose input is broadcast, or of another size than its output");
  if (dtype == DType::kINT16) return by_gather(lowering, argument);
  if (dtype != DType::kINT8 && dtype != DType::kUINT8) return unsupported_type(dtype);
  Tensor values = all_values<std::int8_t>(DType::kINT8);
  if (dtype == DType::kUINT8) {
    values = Tensor(dtype, values.shape());
    std::iota(values.data<std::uint8_t>().begin(), values.data<std::uint8_t>().end(), std::uint8_t{0});
  }
  MACAW_ASSIGN(const Tensor entries, lowering.evaluate(argument, values));
  MACAW_ASSIGN(const auto table, add_constant(tosa, entries));
  MACAW_ASSIGN(const auto x, lowering.input(argument));
  return lowering.output(tosa.add_like(Op::kTABLE, {x, table}));
}

}  // namespace macaw::tflite
