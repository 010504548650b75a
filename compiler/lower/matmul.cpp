#include "compiler/lower/reduction.hpp"

namespace macaw::npu {
namespace {

/// The second operand: what a TRANSPOSE that only this MATMUL reads would exchange is read where it is.
Result<StorageView> second(Lowering& lowering) {
  const auto id = lowering.current().inputs[1];
  if (!is_read_in_place(lowering, id)) return lowering.view(id);
  MACAW_ASSIGN(const auto source, lowering.view(lowering.graph.op(*lowering.graph.producer(id)).inputs[0]));
  return source.permuted({0, 2, 1});
}

}  // namespace

bool is_read_in_place(const Lowering& lowering, tosa::ValueId id) {
  const auto producer = lowering.graph.producer(id);
  if (!producer) return false;
  const auto& transpose = lowering.graph.op(*producer);
  if (transpose.op != tosa::Op::kTRANSPOSE ||
      transpose.get_ints(tosa::Attr::k_perms) != std::vector<std::int64_t>{0, 2, 1})
    return false;
  const auto reader = lowering.graph.only_consumer(id);
  if (!reader) return false;
  const auto& matmul = lowering.graph.op(*reader);
  return matmul.op == tosa::Op::kMATMUL && matmul.inputs[1] == id && matmul.inputs[0] != id;
}

Result<void> multiply_matrices(Lowering& lowering, const MultiplyRows& multiply) {
  constexpr std::int64_t kMaxExtent = 65536;
  MACAW_ASSIGN(auto a, lowering.input(0));
  MACAW_ASSIGN(auto b, second(lowering));
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
  // The rows that are multiplied are columns of the operand.
  StorageView b_rows = b.permuted({0, 2, 1});
  if (b_rows.strides[2] != b_rows.bytes()) {
    const StorageView operand = b_rows;
    b_rows = lowering.temporary({a.extents[0], columns, depth}, b.bits);
    MACAW_CHECK(lowering.copy(b_rows, operand));
  }
  for (std::int64_t n = 0; n < a.extents[0]; ++n) {
    const auto rows = b_rows.at(0, n).as(true, static_cast<std::int32_t>(b_zp));
    const auto left = a.at(0, n).as(true, static_cast<std::int32_t>(a_zp));
    MACAW_CHECK(multiply(out.at(0, n), left, rows, tail.output));
  }
  return {};
}

}  // namespace macaw::npu
