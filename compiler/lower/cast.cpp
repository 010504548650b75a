#include "compiler/lower/elementwise.hpp"

namespace macaw::npu {

Result<void> lower_to_integer(Lowering& lowering, const Unary& x) {
  if (x.out.bits <= x.in.bits) return lowering.copy(x.out, x.in.low_part(x.out.bits));
  // The 1.1 draft zero-extends unsigned elements.
  const bool is_unsigned = lowering.current().get_int(tosa::Attr::k_input_unsigned) != 0;
  return lowering.convert(x.out, x.in.as(x.in.is_signed && !is_unsigned));
}

}  // namespace macaw::npu
