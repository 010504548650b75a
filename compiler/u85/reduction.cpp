#include "compiler/lower/reduction.hpp"
#include "compiler/generation.hpp"

#include <algorithm>

namespace macaw::npu::compiler::u85 {
namespace {

/// Multiplies with the second matrix as weights.
Result<void> multiply(Lowering& lowering, const StorageView& out, const StorageView& a, const StorageView& b_rows,
                      const Output& how) {
  auto proto = lowering.block(OpKind::kConv);
  proto.weights_from_ifm2 = true;
  proto.acc_format = a.bits == 16 ? AccFormat::kI48 : AccFormat::kI32;
  lowering.set_output(proto, out, how);
  const auto second = b_rows.with_axis(0);
  return lowering.add(std::move(proto), out.with_axis(0), a.with_axis(0), &second, nullptr, &how);
}

}  // namespace

Result<void> lower_matmul(Lowering& lowering) {
  return multiply_matrices(lowering, [&](const auto& out, const auto& a, const auto& b_rows, const Output& how) {
    return multiply(lowering, out, a, b_rows, how);
  });
}

// The unit returns the index above 16 bits of value.
Result<void> lower_argmax(Lowering& lowering) {
  MACAW_ASSIGN(const auto maps, argmax(lowering));
  const auto& [out, in] = maps;
  constexpr std::int64_t kMaxAxis = 32768, kMaxExtent = 65536;
  if (in.extents[1] > kMaxAxis || in.extents[2] > kMaxExtent)
    return lowering.unsupported("the axis is longer than 32768, or the axes after it than 65536");
  auto proto = lowering.block(OpKind::kPool);
  proto.pool = PoolMode::kArgMaxX;
  proto.kernel.width = static_cast<int>(in.extents[1]);
  Output how;
  how.scale = {.scale = 1, .shift = 16, .rounding = Rounding::kTruncateToLower, .dbl = 0};
  lowering.set_output(proto, out, how);
  for (std::int64_t y = 0; y < in.extents[0]; y += kMaxExtent) {
    const auto rows = std::min(kMaxExtent, in.extents[0] - y);
    MACAW_CHECK(lowering.add(proto, out.part(0, y, rows), in.part(0, y, rows), nullptr));
  }
  return {};
}

}  // namespace macaw::npu::compiler::u85
