#include "compiler/lower/resize.hpp"
#include "compiler/generation.hpp"

namespace macaw::npu::compiler::u85 {
namespace {

/// RESIZE_*_SCALE_N_M1 and the steps have 11 bits, the integer part of a step 4, the offset 12 with sign.
bool fits_registers(const ResizeAxis& a) {
  return a.n <= 2048 && a.d / a.n < 16 && a.offset >= -2048 && a.offset < 2048 && a.in <= 65536 && a.out <= 65536;
}

Result<void> by_unit(Lowering& lowering, const StorageView& out, const StorageView& in, const ResizeAxis& y,
                     const ResizeAxis& x, bool bilinear) {
  auto proto = lowering.block(OpKind::kResize);
  proto.resize = bilinear ? ResizeFilter::kBilinear : ResizeFilter::kNearest;
  proto.kernel.height = static_cast<int>(y.in);
  proto.kernel.width = static_cast<int>(x.in);
  auto& r = proto.resize_step;
  r.n_y = static_cast<int>(y.n);
  r.n_x = static_cast<int>(x.n);
  r.offset_y = static_cast<int>(y.offset);
  r.offset_x = static_cast<int>(x.offset);
  r.one_step_int_y = static_cast<int>(y.d / y.n);
  r.one_step_mod_y = static_cast<int>(y.d % y.n);
  r.one_step_int_x = static_cast<int>(x.d / x.n);
  r.one_step_mod_x = static_cast<int>(x.d % x.n);
  Output how;
  how.scale.shift = 16;  // the unit's results have 16 fraction bits
  lowering.set_output(proto, out, how);
  for (std::int64_t n = 0; n < in.extents[0]; ++n)
    MACAW_CHECK(lowering.add(proto, batch_item(out, n), batch_item(in, n), nullptr));
  return {};
}

}  // namespace

Result<void> lower_resize(Lowering& lowering) {
  MACAW_ASSIGN(const auto r, resize(lowering));
  if (fits_registers(r.y) && fits_registers(r.x) && r.in.extents[3] <= 65536)
    return by_unit(lowering, r.out, r.in, r.y, r.x, r.bilinear);
  return resize_by_parts(lowering, r);
}

}  // namespace macaw::npu::compiler::u85
