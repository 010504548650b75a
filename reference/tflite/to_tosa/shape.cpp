#include <algorithm>

#include "reference/tflite/op/padding.hpp"
#include "reference/tflite/to_tosa/lowering.hpp"

// Operators that move all elements of one tensor.
namespace macaw::tflite {

Result<void> lower_reshape(Lowering& lowering) {
  MACAW_ASSIGN(const auto x, lowering.input());
  return lowering.output(x);
}

Result<void> lower_transpose(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_ASSIGN(auto perms, integers(*lowering.call.inputs[1].value, "the permutation"));
  for (auto& axis : perms)
    if (axis < 0) axis += static_cast<std::int64_t>(perms.size());
  MACAW_ASSIGN(const auto x, lowering.input());
  return lowering.output(lowering.tosa.transpose(x, perms));
}

Result<void> lower_reverse(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_ASSIGN(const auto axes, integers(*lowering.call.inputs[1].value, "the axes"));
  MACAW_ASSIGN(auto x, lowering.input());
  for (const auto given : axes) {
    MACAW_ASSIGN(const std::size_t axis, normal_axis(given, lowering.tosa.shape(x).size()));
    x = lowering.tosa.reverse(x, static_cast<std::int64_t>(axis));
  }
  return lowering.output(x);
}

Result<void> lower_tile(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  MACAW_ASSIGN(const auto times, integers(*lowering.call.inputs[1].value, "the multiples"));
  MACAW_ASSIGN(const auto x, lowering.input());
  return lowering.output(lowering.tosa.tile(x, times));
}

Result<void> lower_broadcast_to(Lowering& lowering) {
  const Shape& out = lowering.call.output().shape();
  MACAW_ASSIGN(auto x, lowering.input());
  Shape shape = lowering.tosa.shape(x);
  shape.insert(shape.begin(), out.size() - shape.size(), 1);
  x = lowering.tosa.reshape(x, shape);
  for (std::size_t i = 0; i < out.size(); ++i) shape[i] = out[i] / shape[i];
  return lowering.output(lowering.tosa.tile(x, shape));
}

Result<void> lower_fill(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(0));
  const Shape& out = lowering.call.output().shape();
  MACAW_ASSIGN(const auto value, lowering.input(1));
  return lowering.output(lowering.tosa.tile(lowering.tosa.reshape(value, Shape(out.size(), 1)), out));
}

/// PAD, and PADV2, whose input 2 is the value.
Result<void> lower_pad(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const auto pad, pad_amounts(lowering.call));
  MACAW_ASSIGN(const auto x, lowering.input(0));
  std::optional<ValueId> value;
  if (lowering.call.optional_input(2)) {
    MACAW_ASSIGN(value, lowering.input(2));
  } else {
    std::int32_t zero = 0;
    if (is_quantized(lowering.call.output().dtype()) && lowering.call.outputs[0].quantization) {
      MACAW_ASSIGN(const Affine to, lowering.affine(lowering.call.outputs[0]));
      zero = to.zero_point;
    }
    value = tosa.scalar(tosa.dtype(x), zero);
  }
  Shape amounts;
  for (std::size_t i = 0; i < pad.before.size(); ++i) amounts.insert(amounts.end(), {pad.before[i], pad.after[i]});
  return lowering.output(tosa.pad(x, amounts, tosa.reshape(*value, {1})));
}

Result<void> lower_mirror_pad(Lowering& lowering) {
  MACAW_CHECK(lowering.expect_constant(1));
  auto& tosa = lowering.tosa;
  const auto options = lowering.call.options_or_default<schema::MirrorPadOptionsT>();
  const std::int64_t skipped = options.mode == schema::MirrorPadMode::REFLECT ? 1 : 0;
  MACAW_ASSIGN(const auto pad, pad_amounts(lowering.call));
  MACAW_ASSIGN(auto x, lowering.input(0));
  for (std::size_t a = 0; a < pad.before.size(); ++a) {
    const auto axis = static_cast<std::int64_t>(a);
    const auto mirrored = [&](std::int64_t start, std::int64_t count) {
      Shape from(tosa.shape(x).size(), 0), size = tosa.shape(x);
      from[a] = start;
      size[a] = count;
      return tosa.reverse(tosa.slice(x, from, std::move(size)), axis);
    };
    std::vector<ValueId> parts;
    const std::int64_t extent = tosa.shape(x)[a];
    if (pad.before[a] > 0) parts.push_back(mirrored(skipped, pad.before[a]));
    parts.push_back(x);
    if (pad.after[a] > 0) parts.push_back(mirrored(extent - skipped - pad.after[a], pad.after[a]));
    x = tosa.concat(parts, axis);
  }
  return lowering.output(x);
}

}  // namespace macaw::tflite
