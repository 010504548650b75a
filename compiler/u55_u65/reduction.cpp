#include "compiler/lower/reduction.hpp"
#include "compiler/generation.hpp"

#include <algorithm>

namespace macaw::npu::compiler::u55_u65 {
namespace {

/// Multiplies each row with the whole second matrix, then sums the products.
Result<void> multiply_by_rows(Lowering& lowering, const StorageView& out, const StorageView& a,
                              const StorageView& b_rows, const StorageView& products, const Output& how) {
  for (std::int64_t h = 0; h < a.extents[0]; ++h) {
    MACAW_CHECK(lowering.elementwise(ElementwiseMode::kMul, products, b_rows, a.part(0, h, 1)));
    MACAW_CHECK(sum_channels(lowering, out.at(0, h).with_axis(0).with_axis(2), products.with_axis(0), how));
  }
  return {};
}

}  // namespace

Result<void> lower_matmul(Lowering& lowering) {
  MACAW_ASSIGN(const auto first, lowering.input(0));
  if (first.bits == 16)
    return lowering.unsupported(
        "U55 and U65 have no matrix multiplication, and sums of 16-bit products do not fit 32 bits");
  StorageView products;
  return multiply_matrices(lowering, [&](const auto& out, const auto& a, const auto& b_rows, const Output& how) {
    if (products.storage < 0) products = lowering.temporary(b_rows.extents, 32);
    return multiply_by_rows(lowering, out, a, b_rows, products, how);
  });
}

// Maximum of value * 2^14 + (2^13 - 1 - index), where the first of equal values is the largest.
Result<void> lower_argmax(Lowering& lowering) {
  MACAW_ASSIGN(const auto maps, argmax(lowering));
  const auto& [out, in] = maps;
  using enum ElementwiseMode;
  constexpr std::int64_t kScale = 1 << 14, kLast = (1 << 13) - 1, kShift = 32 - 14;
  const auto extent = in.extents[1];
  if (extent > kLast + 1) return lowering.unsupported("the axis is longer than 8192");
  std::vector<std::int64_t> descending;
  for (std::int64_t i = 0; i < extent; ++i) descending.push_back(kLast - i);
  const auto scaled = lowering.temporary(in.extents, 32), keys = lowering.temporary(in.extents, 32);
  Output how;
  how.scale = {.scale = kScale, .shift = 0, .rounding = Rounding::kNatural, .dbl = 0};
  MACAW_CHECK(lowering.convert(scaled, in, how));
  MACAW_CHECK(lowering.elementwise(kAdd, keys, scaled, lowering.constants(descending, {1, extent, 1}, 32)));
  const auto best = lowering.temporary(out.extents, 32), high = lowering.temporary(out.extents, 32),
             low = lowering.temporary(out.extents, 32);
  MACAW_CHECK(reduce_extreme(lowering, true, best, keys));
  // The value is shifted out at the top; the highest of the 14 bits is 0, so that the rest is not negative.
  const auto shift = lowering.scalar(kShift, best);
  MACAW_CHECK(lowering.elementwise(kShl, high, best, shift));
  MACAW_CHECK(lowering.elementwise(kShr, low, high, shift));
  return lowering.elementwise(kSub, out, lowering.scalar(kLast, best), low);
}

}  // namespace macaw::npu::compiler::u55_u65
