#include "compiler/lower/reduction.hpp"

namespace macaw::npu {
namespace {

/// U85 takes the second matrix as weights.
Result<void> multiply(Lowering& lowering, const StorageView& out, const StorageView& a, const StorageView& b_rows,
                      const Output& how) {
  auto proto = lowering.block(OpKind::kConv);
  proto.weights_from_ifm2 = true;
  proto.acc_format = a.bits == 16 ? AccFormat::kI48 : AccFormat::kI32;
  lowering.set_output(proto, out, how);
  const auto second = b_rows.with_axis(0);
  return lowering.add(std::move(proto), out.with_axis(0), a.with_axis(0), &second, nullptr, &how);
}

/// U55 and U65: products of one row with all of the second matrix, then their sums.
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
  constexpr std::int64_t kMaxExtent = 65536;
  MACAW_ASSIGN(auto a, lowering.input(0));
  MACAW_ASSIGN(auto b, lowering.input(1));
  MACAW_ASSIGN(const auto a_zp, lowering.graph.integer(lowering.op, 2));
  MACAW_ASSIGN(const auto b_zp, lowering.graph.integer(lowering.op, 3));
  if (a.bits > 16) return lowering.unsupported("the NPU multiplies matrices of 8 and 16 bits only");
  if (!lowering.u85() && a.bits == 16)
    return lowering.unsupported(
        "U55 and U65 have no matrix multiplication, and sums of 16-bit products do not fit 32 bits");
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
  const StorageView b_rows = lowering.temporary({columns, depth}, b.bits);
  StorageView products;
  if (!lowering.u85()) products = lowering.temporary({columns, depth}, 32);
  for (std::int64_t n = 0; n < a.extents[0]; ++n) {
    MACAW_CHECK(lowering.copy(b_rows, b.at(0, n).permuted({1, 0})));
    const auto rows = b_rows.as(true, static_cast<std::int32_t>(b_zp));
    const auto left = a.at(0, n).as(true, static_cast<std::int32_t>(a_zp));
    if (lowering.u85()) MACAW_CHECK(multiply(lowering, out.at(0, n), left, rows, tail.output));
    else MACAW_CHECK(multiply_by_rows(lowering, out.at(0, n), left, rows, products, tail.output));
  }
  return {};
}

}  // namespace macaw::npu
