#include "sim/datapath/pool.hpp"
#include "sim/datapath/input_map.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Taps [first, last) of one axis that fall inside the map for an output coordinate.
struct Taps {
  int first, last;
  [[nodiscard]] int count() const { return std::max(0, last - first); }
};
Taps valid_taps(int output, int stride, int pad, int taps, int dilation, int extent) {
  const int origin = output * stride - pad;
  const int first = origin < 0 ? (-origin + dilation - 1) / dilation : 0;
  const int last = extent <= origin ? 0 : (extent - origin + dilation - 1) / dilation;
  return {first, std::min(taps, last)};
}

template <class T>
Result<void> run(const BlockOperation& op, const FeatureMapView& ifm, const ChannelScaling& scaling, OutputRows& out) {
  const Kernel& k = op.kernel;
  MACAW_ASSIGN(const auto input, load_input<T>(op, ifm, false, 1));
  const bool is_max = op.pool == PoolMode::kMax, reduce = op.pool == PoolMode::kReduceSum;
  const bool divide = divides_by_valid_taps(op);
  const int depth = op.ofm.c;
  const std::int64_t lowest = int_range(op.ifm.bits, op.ifm.is_signed).min - op.ifm.zero_point;
  std::vector<std::int64_t> row(out.row().size());
  for (int y = 0; y < op.ofm.h; ++y) {
    const Taps ty = valid_taps(y, k.stride_y, k.pad_top, k.taps_y(), k.dilation_y, input.h);
    for (int x = 0; x < op.ofm.w; ++x) {
      const Taps tx = valid_taps(x, k.stride_x, k.pad_left, k.taps_x(), k.dilation_x, input.w);
      std::int64_t* value = row.data() + std::ptrdiff_t{x} * depth;
      std::fill_n(value, depth, is_max ? lowest : 0);
      for (int ky = ty.first; ky < ty.last; ++ky) {
        for (int kx = tx.first; kx < tx.last; ++kx) {
          const T* in =
              input.at(y * k.stride_y - k.pad_top + ky * k.dilation_y, x * k.stride_x - k.pad_left + kx * k.dilation_x);
          if (is_max) {
            for (int c = 0; c < depth; ++c) value[c] = std::max<std::int64_t>(value[c], in[c]);
          } else if (reduce) {
            for (int c = 0; c < op.ifm.c; ++c) value[0] = wrapping_add(value[0], in[c]);
          } else {
            for (int c = 0; c < depth; ++c) value[c] = wrapping_add(value[c], in[c]);
          }
        }
      }
      if (divide) {
        const Divisor d = pooling_divisor(std::max(1, ty.count() * tx.count()), 31);
        std::int64_t* scaled = out.row().data() + std::ptrdiff_t{x} * depth;
        for (int c = 0; c < depth; ++c) scaled[c] = requantize(value[c], d.scale, d.shift, op.ofm_scale.rounding);
      }
    }
    if (!divide) scaling.apply(row.data(), op.ofm.w, depth, out.row().data());
    out.store(y);
  }
  return {};
}

}  // namespace

bool divides_by_valid_taps(const BlockOperation& op) {
  const Kernel& k = op.kernel;
  return op.pool == PoolMode::kAverage && (k.pad_top || k.pad_left || k.pad_bottom || k.pad_right);
}

Result<void> pool(const BlockOperation& op, const FeatureMapView& ifm, const ChannelScaling& scaling, OutputRows& out) {
  if (op.pool != PoolMode::kMax && op.pool != PoolMode::kAverage && op.pool != PoolMode::kReduceSum)
    return fail(ErrorCode::kUnsupported, fmt::format("pooling mode {} of Ethos-U85", static_cast<int>(op.pool)));
  if (op.pool == PoolMode::kReduceSum && op.ofm.c != 1)
    return fail(ErrorCode::kHardwareFault, fmt::format("REDUCE_SUM writes depth 1, not {}", op.ofm.c));
  return fits_int16(op.ifm) ? run<std::int16_t>(op, ifm, scaling, out) : run<std::int64_t>(op, ifm, scaling, out);
}

}  // namespace macaw::npu
