#include "reference/tflite/op/padding.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "reference/tflite/copy.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{pad.cc,pad_common.cc},
// tensorflow/lite/kernels/internal/reference/pad.h.
namespace macaw::tflite {
namespace {

/// The bytes of the value that surrounds.
Result<std::uint64_t> pad_value(const Call& call, std::size_t value_index) {
  const DType dtype = call.output().dtype();
  std::uint64_t value = 0;
  if (const Tensor* given = call.optional_input(value_index)) {
    MACAW_CHECK(expect(*given, dtype, "the value"));
    if (given->size() != 1) return invalid(fmt::format("{} values to pad with", given->size()));
    if (is_quantized(dtype)) MACAW_CHECK(expect_same_quantization(call.inputs[value_index], call.outputs[0]));
    std::memcpy(&value, given->bytes().data(), size_of(dtype));
  } else if (is_quantized(dtype) && call.outputs[0].quantization) {
    MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
    std::memcpy(&value, &to.zero_point, size_of(dtype));
  }
  return value;
}

template <class T>
void fill(const Tensor& in, const PadAmounts& pad, T value, Tensor& out) {
  const auto to = out.data_to_fill<T>();
  const auto from = in.data<T>();
  std::ranges::fill(to, value);
  if (in.size() == 0) return;
  const auto row = in.rank() == 0 ? 1 : static_cast<std::size_t>(in.shape().back());
  for (std::size_t at = 0; at < from.size(); at += row) {
    std::size_t target = 0, stride = 1, rest = at;
    for (std::size_t a = in.rank(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(in.shape()[a]);
      target += (rest % extent + static_cast<std::size_t>(pad.before[a])) * stride;
      rest /= extent;
      stride *= static_cast<std::size_t>(out.shape()[a]);
    }
    std::copy_n(from.begin() + std::ptrdiff_t(at), row, to.begin() + std::ptrdiff_t(target));
  }
}

}  // namespace

Result<PadAmounts> pad_amounts(const Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* amounts, call.input(1));
  MACAW_CHECK(expect(call.output(), in->dtype(), "the output"));
  MACAW_ASSIGN(const auto list, integers(*amounts, "the amounts"));
  if (list.size() != 2 * in->rank()) return invalid(fmt::format("{} amounts for rank {}", list.size(), in->rank()));
  PadAmounts pad;
  Shape shape = in->shape();
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const std::int64_t before = list[2 * a], after = list[2 * a + 1];
    if (before < 0 || after < 0 || before > kLimit || after > kLimit)
      return invalid(fmt::format("{} and {} elements around axis {}", before, after, a));
    pad.before.push_back(before);
    pad.after.push_back(after);
    shape[a] += before + after;
  }
  MACAW_CHECK(expect(call.output(), shape, "the output"));
  return pad;
}

Result<void> pad_with_constant(Call& call, std::size_t value_index) {
  MACAW_ASSIGN(const auto pad, pad_amounts(call));
  MACAW_ASSIGN(const std::uint64_t value, pad_value(call, value_index));
  with_element_size(size_of(call.output().dtype()),
                    [&]<class T>(T) { fill<T>(*call.inputs[0].value, pad, static_cast<T>(value), call.output()); });
  return {};
}

}  // namespace macaw::tflite
