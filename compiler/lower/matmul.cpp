#include "compiler/lower/reduction.hpp"

namespace macaw::npu {
Result<void> multiply_matrices(Lowering& lowering, const MultiplyRows& multiply) {
  constexpr std::int64_t kMaxExtent = 65536;
  MACAW_ASSIGN(auto a, lowering.input(0));
  MACAW_ASSIGN(auto b, lowering.input(1));
  MACAW_ASSIGN(const auto a_zp, lowering.graph.integer(lowering.op, 2));
  MACAW_ASSIGN(const auto b_zp, lowering.graph.integer(lowering.op, 3));
  if (a.bits > 16) return lowering.unsupported("the NPU multiplies matrices of 8 and 16 bits only");
  const auto result = lowering.current().outputs[0];
  const auto next = lowering.follower(result, tosa::Op::kRESCALE);
  bool fused = false;
  if (next) {
    MACAW_ASSIGN(const auto r, rescale_arguments(lowering.graph, *next));
    fused = r.multiplier.size() == 1;
  }
  MACAW_ASSIGN(const auto tail, lowering.tail(result, fused));
  MACAW_ASSIGN(auto out, lowering.view(tail.value));
  if (tail.rescale) out = out.as(!tail.rescale->output_unsigned, tail.rescale->output_zp);
  for (const auto extent : {a.extents[1], a.extents[2], b.extents[2]})
    if (extent > kMaxExtent) return lowering.unsupported("an extent exceeds 65536");
  const auto columns = b.extents[2], depth = b.extents[1];
  // The rows to multiply are columns of the operand.
  const StorageView operand = b.permuted({0, 2, 1});
  const StorageView b_rows = lowering.temporary({a.extents[0], columns, depth}, b.bits);
  MACAW_CHECK(lowering.copy(b_rows, operand));
  for (std::int64_t n = 0; n < a.extents[0]; ++n) {
    const auto rows = b_rows.at(0, n).as(true, static_cast<std::int32_t>(b_zp));
    const auto left = a.at(0, n).as(true, static_cast<std::int32_t>(a_zp));
    MACAW_CHECK(multiply(out.at(0, n), left, rows, tail.output));
  }
  return {};
}

}  // namespace macaw::npu
