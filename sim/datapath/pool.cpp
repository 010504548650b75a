#include "sim/datapath/pool.hpp"
#include "sim/datapath/input_map.hpp"

#include <algorithm>

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

/// Initial accumulators of a window, and their update by a tap.
struct Reduction {
  PoolMode mode;
  std::int64_t lowest, highest;  ///< of the IFM, zero point subtracted
  int ifm_depth, depth;

  [[nodiscard]] std::int64_t start() const {
    const bool lowest_first = mode == PoolMode::kMax || mode == PoolMode::kArgMaxX || mode == PoolMode::kArgMaxY;
    return lowest_first ? lowest : mode == PoolMode::kMin ? highest : 0;
  }

  /// For ARGMAX, `positions` holds the tap of the first maximum so far.
  template <class T, class Value>
  void add(const T* in, int tap, Value* value, int* positions) const {
    switch (mode) {
      case PoolMode::kMax:
        for (int c = 0; c < depth; ++c) value[c] = std::max<Value>(value[c], in[c]);
        return;
      case PoolMode::kMin:
        for (int c = 0; c < depth; ++c) value[c] = std::min<Value>(value[c], in[c]);
        return;
      case PoolMode::kArgMaxX:
      case PoolMode::kArgMaxY:
        for (int c = 0; c < depth; ++c) {
          if (positions[c] >= 0 && in[c] <= value[c]) continue;
          value[c] = in[c];
          positions[c] = tap;
        }
        return;
      case PoolMode::kReduceSum:
        for (int c = 0; c < ifm_depth; ++c) value[0] = static_cast<Value>(wrapping_add(value[0], in[c]));
        return;
      default:
        for (int c = 0; c < depth; ++c) value[c] = static_cast<Value>(wrapping_add(value[c], in[c]));
        return;
    }
  }
};

/// Places an ARGMAX index above the low 16 bits of the value, as in the accumulators.
std::int64_t pack(int position, std::int64_t value) {
  return std::int64_t{std::max(0, position)} * 65536 + (value & 0xFFFF);
}

/// `Value` can hold every sum of a window.
template <class T, class Value>
Result<void> run(const BlockOperation& op, const FeatureMapView& ifm, OutputRows& out) {
  const Kernel& k = op.kernel;
  MACAW_ASSIGN(const auto input, load_input<T>(op, ifm, false, 1, out.workers()));
  const int average_bits = traits(op.family).average_bits;
  const bool divide = op.divides_by_valid_taps();
  const bool arg_x = op.pool == PoolMode::kArgMaxX, arg = arg_x || op.pool == PoolMode::kArgMaxY;
  const int depth = op.ofm.c;
  const IntRange type = int_range(op.ifm.bits, op.ifm.is_signed);
  const Reduction reduction{op.pool, type.min - op.ifm.zero_point, type.max - op.ifm.zero_point, op.ifm.c, depth};
  const auto start = static_cast<Value>(reduction.start());
  const auto stride = static_cast<std::ptrdiff_t>(round_up(depth, kGemmChannels));
  out.for_rows([&](int begin, int end, RowWriter& writer) {
    std::vector<Value> row(static_cast<std::size_t>(op.ofm.w * stride));
    std::vector<int> positions(arg ? static_cast<std::size_t>(depth) : 0);
    for (int y = begin; y < end; ++y) {
      const Taps ty = valid_taps(y, k.stride_y, k.pad_top, k.taps_y(), k.dilation_y, input.h);
      for (int x = 0; x < op.ofm.w; ++x) {
        const Taps tx = valid_taps(x, k.stride_x, k.pad_left, k.taps_x(), k.dilation_x, input.w);
        Value* value = row.data() + x * stride;
        std::fill_n(value, depth, start);
        std::fill(positions.begin(), positions.end(), -1);
        for (int ky = ty.first; ky < ty.last; ++ky)
          for (int kx = tx.first; kx < tx.last; ++kx)
            reduction.add(input.at(y * k.stride_y - k.pad_top + ky * k.dilation_y,
                                   x * k.stride_x - k.pad_left + kx * k.dilation_x),
                          arg_x ? kx : ky, value, positions.data());
        for (std::size_t c = 0; c < positions.size(); ++c) value[c] = static_cast<Value>(pack(positions[c], value[c]));
        if (divide) {
          const Divisor d = pooling_divisor(std::max(1, ty.count() * tx.count()), average_bits);
          const Requantizer average({d.scale, d.shift, op.ofm_scale.rounding, 0});
          for (int c = 0; c < depth; ++c) value[c] = static_cast<Value>(average(value[c]));
        }
      }
      writer.store(y, row.data(), stride);
    }
  });
  return {};
}

/// Maximum number of 16-bit inputs whose sum fits 32 bits; positions above 16-bit values then fit as well.
constexpr std::int64_t kNarrowInputs = INT16_MAX;

std::int64_t inputs_of_window(const BlockOperation& op) {
  const std::int64_t taps = std::int64_t{op.kernel.taps_y()} * op.kernel.taps_x();
  return op.pool == PoolMode::kReduceSum ? taps * op.ifm.c : taps;
}

}  // namespace

Result<void> pool(const BlockOperation& op, const FeatureMapView& ifm, OutputRows& out) {
  if (op.pool == PoolMode::kReduceSum && op.ofm.c != 1)
    return fail(ErrorCode::kHardwareFault, fmt::format("REDUCE_SUM writes depth 1, not {}", op.ofm.c));
  if (!fits_int16(op.ifm)) return run<std::int64_t, std::int64_t>(op, ifm, out);
  return inputs_of_window(op) <= kNarrowInputs ? run<std::int16_t, std::int32_t>(op, ifm, out)
                                               : run<std::int16_t, std::int64_t>(op, ifm, out);
}

void pass_accumulators(const BlockOperation& op, OutputRows& out) {
  out.for_rows([&](int first, int end, RowWriter& writer) {
    const std::vector<std::int64_t> zeros(writer.row().size());
    for (int y = first; y < end; ++y) writer.store(y, zeros.data(), op.ofm.c);
  });
}

}  // namespace macaw::npu
