#include "compiler/lowering.hpp"

// Operators that move elements without using their values.
namespace macaw::npu {
namespace {

struct Move {
  StorageView out, in;
};
Result<Move> move(Lowering& lowering) {
  Move m;
  MACAW_ASSIGN(m.out, lowering.output());
  MACAW_ASSIGN(m.in, lowering.input(0));
  return m;
}

std::size_t axis_of(const Lowering& lowering) {
  return static_cast<std::size_t>(lowering.current().get_int(tosa::Attr::k_axis));
}

/// Aliases the same bytes with the shape of the result.
Result<void> same_bytes(Lowering& lowering) {
  const auto result = lowering.current().outputs[0];
  if (!lowering.graph.value(result).is_static()) return lowering.unsupported("the result has no static shape");
  MACAW_ASSIGN(const int from, lowering.tensor(lowering.current().inputs[0]));
  lowering.alias(result, from);
  return {};
}

}  // namespace

Result<void> lower_identity(Lowering& lowering) { return same_bytes(lowering); }
Result<void> lower_reshape(Lowering& lowering) { return same_bytes(lowering); }

Result<void> lower_transpose(Lowering& lowering) {
  MACAW_ASSIGN(const auto m, move(lowering));
  return lowering.copy(m.out, m.in.permuted(lowering.current().get_ints(tosa::Attr::k_perms)));
}

// The result is written backwards, as regor does on U55 and U65.
Result<void> lower_reverse(Lowering& lowering) {
  MACAW_ASSIGN(const auto m, move(lowering));
  return lowering.copy(m.out.reversed(axis_of(lowering)), m.in);
}

Result<void> lower_concat(Lowering& lowering) {
  MACAW_ASSIGN(const auto out, lowering.output());
  const auto axis = axis_of(lowering);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < lowering.current().inputs.size(); ++i) {
    MACAW_ASSIGN(const auto in, lowering.input(i));
    MACAW_CHECK(lowering.copy(out.part(axis, at, in.extents[axis]), in));
    at += in.extents[axis];
  }
  return {};
}

Result<void> lower_slice(Lowering& lowering) {
  MACAW_ASSIGN(auto m, move(lowering));
  MACAW_ASSIGN(const auto start, lowering.graph.integers(lowering.op, 1));
  for (std::size_t i = 0; i < m.in.rank(); ++i) m.in = m.in.part(i, start[i], m.out.extents[i]);
  return lowering.copy(m.out, m.in);
}

Result<void> lower_pad(Lowering& lowering) {
  MACAW_ASSIGN(const auto m, move(lowering));
  MACAW_ASSIGN(const auto padding, lowering.graph.integers(lowering.op, 1));
  MACAW_ASSIGN(const auto value, lowering.graph.integer(lowering.op, 2));
  StorageView inside = m.out;
  for (std::size_t i = 0; i < m.in.rank(); ++i) inside = inside.part(i, padding[2 * i], m.in.extents[i]);
  if (m.in.elements() != m.out.elements()) MACAW_CHECK(lowering.fill(m.out, value));
  return lowering.copy(inside, m.in);
}

Result<void> lower_tile(Lowering& lowering) {
  MACAW_ASSIGN(const auto m, move(lowering));
  // Each axis as repetitions of the input's.
  Shape split;
  StorageView in = m.in;
  for (std::size_t i = 0; i < m.in.rank(); ++i) {
    const auto times = m.out.extents[i] / m.in.extents[i];
    split.push_back(times);
    split.push_back(m.in.extents[i]);
    in = in.with_axis(2 * i).repeated(2 * i, times);
  }
  return lowering.copy(m.out.reshaped(split), in);
}

}  // namespace macaw::npu
