#include "compiler/generation.hpp"
#include "compiler/lower/resize.hpp"

// U55 and U65 have neither a resize unit nor indexed DMA: rows known at compile time are copied.
namespace macaw::npu::compiler::u55_u65 {

Result<void> lower_gather(Lowering& lowering) {
  MACAW_ASSIGN(const auto out, lowering.output());
  MACAW_ASSIGN(const auto values, lowering.input(0));
  MACAW_CHECK(lowering.input(1));
  const auto batch = out.extents[0], rows = out.extents[1];
  if (!lowering.graph.value(lowering.current().inputs[1]).data)
    return lowering.unsupported("U55 and U65 gather by constant indices only");
  MACAW_ASSIGN(const auto constant, lowering.graph.integers(lowering.op, 1));
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t w = 0; w < rows; ++w) {
      const auto row = constant[static_cast<std::size_t>(n * rows + w)];
      if (row < 0 || row >= values.extents[1]) return lowering.unsupported("an index is outside the values");
      MACAW_CHECK(lowering.copy(out.at(0, n).part(0, w, 1), values.at(0, n).part(0, row, 1)));
    }
  }
  return {};
}

Result<void> lower_scatter(Lowering& lowering) {
  MACAW_CHECK(lowering.output());
  for (std::size_t i = 0; i < 3; ++i) MACAW_CHECK(lowering.input(i));
  return lowering.unsupported("U55 and U65 have no indexed DMA");
}

Result<void> lower_resize(Lowering& lowering) {
  MACAW_ASSIGN(const auto r, resize(lowering));
  return resize_by_parts(lowering, r);
}

}  // namespace macaw::npu::compiler::u55_u65
