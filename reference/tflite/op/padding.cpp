#include "reference/tflite/op/padding.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "reference/tflite/copy.hpp"
#include "reference/tflite/quantization.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{pad.cc,pad_common.cc,mirror_pad.cc},
// tensorflow/lite/kernels/internal/reference/pad.h.
namespace macaw::tflite {

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

}  // namespace macaw::tflite

namespace macaw::tflite::padding {
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
  const auto to = out.uninitialized_data<T>();
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

/// Input 0 surrounded by one value: that of input `value_index` if the operator has such an input, else zero, which a
/// quantised tensor has at its zero point.
Result<void> pad_with_constant(Call& call, std::size_t value_index) {
  MACAW_ASSIGN(const auto pad, pad_amounts(call));
  MACAW_ASSIGN(const std::uint64_t value, pad_value(call, value_index));
  with_element_size(size_of(call.output().dtype()),
                    [&]<class T>(T) { fill<T>(*call.inputs[0].value, pad, static_cast<T>(value), call.output()); });
  return {};
}

Result<void> pad(Call& call) { return pad_with_constant(call, call.inputs.size()); }

Result<void> padv2(Call& call) { return pad_with_constant(call, 2); }

Result<void> mirror_pad(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::MirrorPadOptionsT>());
  MACAW_ASSIGN(const auto pad, pad_amounts(call));
  const Tensor& in = *call.inputs[0].value;
  Tensor& out = call.output();
  // Whether the element at the edge is left out.
  const std::int64_t skipped = options->mode == schema::MirrorPadMode::REFLECT ? 1 : 0;
  // The source of each position along each axis.
  std::vector<std::vector<std::int64_t>> sources(in.rank());
  for (std::size_t a = 0; a < in.rank(); ++a) {
    const std::int64_t extent = in.shape()[a], stride = in.size() == 0 ? 0 : product(in.shape(), a + 1, in.rank());
    if (pad.before[a] > extent - skipped || pad.after[a] > extent - skipped)
      return invalid(fmt::format("{} and {} mirrored elements of {}", pad.before[a], pad.after[a], extent));
    for (std::int64_t i = -pad.before[a]; i < extent + pad.after[a]; ++i)
      sources[a].push_back((i < 0 ? skipped - 1 - i : i < extent ? i : 2 * extent - 1 - skipped - i) * stride);
  }
  with_element_size(size_of(in.dtype()), [&]<class T>(T) {
    const auto from = in.data<T>();
    const auto to = out.uninitialized_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::size_t rest = i, at = 0;
      for (std::size_t a = in.rank(); a-- > 0;) {
        at += static_cast<std::size_t>(sources[a][rest % sources[a].size()]);
        rest /= sources[a].size();
      }
      to[i] = from[at];
    }
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"PAD", 2, 2, 1, 1, pad},
    {"PADV2", 3, 3, 1, 1, padv2},
    {"MIRROR_PAD", 2, 2, 1, 1, mirror_pad},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::padding
