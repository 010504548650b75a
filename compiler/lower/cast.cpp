#include "compiler/lowering.hpp"

namespace macaw::npu {

Result<void> lower_cast(Lowering& lowering) {
  using enum ElementwiseMode;
  MACAW_ASSIGN(const auto in, lowering.input(0));
  MACAW_ASSIGN(const auto out, lowering.output());
  if (in.bits > 32 || out.bits > 32) return lowering.unsupported("elements of more than 32 bits");
  const bool to_bool = lowering.dtype(lowering.current().outputs[0]) == DType::kBOOL;
  if (to_bool && lowering.u85()) {
    const auto mask = lowering.temporary(out.extents, 8);
    MACAW_CHECK(lowering.elementwise(kCmpNe, mask, in, lowering.scalar(0, in)));
    return lowering.elementwise(kAnd, out, mask, lowering.scalar(1, mask));
  }
  if (to_bool) {
    Output how;
    how.clamp = {0, 1};
    return lowering.unary(kAbs, out, in, how);
  }
  if (out.bits <= in.bits) return lowering.copy(out, in.low_part(out.bits));
  // The 1.1 draft widens unsigned elements with zeros.
  const bool is_unsigned = lowering.current().get_int(tosa::Attr::k_input_unsigned) != 0;
  return lowering.convert(out, in.as(in.is_signed && !is_unsigned));
}

}  // namespace macaw::npu
