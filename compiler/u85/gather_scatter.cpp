#include "compiler/generation.hpp"

#include <algorithm>

// GATHER and SCATTER by indexed DMA.
namespace macaw::npu::compiler::u85 {
namespace {

constexpr std::int64_t kMaxRows = 65535;  // DMA0_SIZE0

/// Moves rows of [K,C] selected by 32-bit indices, in pieces that fit one job.
Result<void> move_rows(Lowering& lowering, const StorageView& target, const StorageView& source,
                       const StorageView& index, bool scatter) {
  const auto count = index.extents[0];
  for (std::int64_t first = 0; first < count; first += kMaxRows) {
    const auto rows = std::min(kMaxRows, count - first);
    const auto& indexed = scatter ? target : source;
    DmaOperation dma;
    dma.dimensions = 2;
    dma.len = static_cast<std::uint64_t>(source.extents[1] * source.bytes());
    dma.size0 = static_cast<std::uint32_t>(rows);
    dma.src_stride0 = source.strides[0];
    dma.dst_stride0 = target.strides[0];
    dma.idx_max = static_cast<std::uint32_t>(indexed.extents[0] - 1);
    (scatter ? dma.dst_indexed : dma.src_indexed) = true;
    const auto part = index.part(0, first, rows);
    MACAW_CHECK(scatter ? lowering.add_dma(dma, target, source.part(0, first, rows), &part)
                        : lowering.add_dma(dma, target.part(0, first, rows), source, &part));
  }
  return {};
}

}  // namespace

Result<void> lower_gather(Lowering& lowering) {
  MACAW_ASSIGN(const auto out, lowering.output());
  MACAW_ASSIGN(const auto values, lowering.input(0));
  MACAW_ASSIGN(const auto indices, lowering.input(1));
  if (indices.bits != 32) return lowering.unsupported("indices of another type than INT32");
  for (std::int64_t n = 0; n < out.extents[0]; ++n)
    MACAW_CHECK(move_rows(lowering, out.at(0, n), values.at(0, n), indices.at(0, n), false));
  return {};
}

Result<void> lower_scatter(Lowering& lowering) {
  const bool in_place = updates_variable_in_place(lowering);
  if (in_place) {
    MACAW_ASSIGN(const int variable, lowering.tensor(lowering.current().inputs[0]));
    lowering.alias(lowering.current().outputs[0], variable);
  }
  MACAW_ASSIGN(const auto out, lowering.output());
  MACAW_ASSIGN(const auto values, lowering.input(0));
  MACAW_ASSIGN(const auto indices, lowering.input(1));
  MACAW_ASSIGN(const auto rows, lowering.input(2));
  if (indices.bits != 32) return lowering.unsupported("indices of another type than INT32");
  if (!in_place) MACAW_CHECK(lowering.copy(out, values));
  for (std::int64_t n = 0; n < out.extents[0]; ++n)
    MACAW_CHECK(move_rows(lowering, out.at(0, n), rows.at(0, n), indices.at(0, n), true));
  return {};
}

}  // namespace macaw::npu::compiler::u85
