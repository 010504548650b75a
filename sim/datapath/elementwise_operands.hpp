#pragma once
#include "sim/datapath/output_rows.hpp"
#include "sim/datapath/uncleared.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include <fmt/format.h>

// Code shared by the elementwise operations of both generations.
namespace macaw::npu {

/// One operand, dense, with steps of zero along broadcast axes.
struct Operand {
  Uncleared<std::int64_t> values;
  std::ptrdiff_t step_y = 0, step_x = 0, step_c = 0;

  explicit Operand(std::int64_t scalar) : values{scalar} {}
  /// Leaves `values` empty if no rows are computed.
  Operand(const FeatureMapView& view, const OutputRows& out) {
    if (!out.computes()) return;
    const FeatureMap& map = view.map();
    values.resize(static_cast<std::size_t>(map.h) * static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c));
    const std::ptrdiff_t row = std::ptrdiff_t{map.w} * map.c;
    for (int y = 0; y < map.h; ++y) view.read_row(y, values.data() + y * row, map.c);
    step_y = map.h > 1 ? row : 0;
    step_x = map.w > 1 ? map.c : 0;
    step_c = map.c > 1 ? 1 : 0;
  }
};

/// Calls fn(a, b) for every OFM element and stores the rows.
template <class Fn>
void for_each(const BlockOperation& op, const Operand& first, const Operand& second, OutputRows& out, Fn&& fn) {
  out.for_rows([&](int begin, int end, RowWriter& writer) {
    for (int y = begin; y < end; ++y) {
      std::int64_t* result = writer.row().data();
      for (int x = 0; x < op.ofm.w; ++x) {
        const std::int64_t* a = first.values.data() + y * first.step_y + x * first.step_x;
        const std::int64_t* b = second.values.data() + y * second.step_y + x * second.step_x;
        for (int c = 0; c < op.ofm.c; ++c, a += first.step_c, b += second.step_c) *result++ = fn(*a, *b);
      }
      writer.store(y);
    }
  });
}

/// kHardwareFault if an operand has neither the extent of the OFM nor 1 along an axis.
[[nodiscard]] inline Result<void> check_extents(const BlockOperation& op, const FeatureMap& map,
                                                std::string_view what) {
  const auto fits = [](int have, int want) { return have == want || have == 1; };
  if (fits(map.h, op.ofm.h) && fits(map.w, op.ofm.w) && fits(map.c, op.ofm.c)) return {};
  return fail(ErrorCode::kHardwareFault, fmt::format("{} of {}x{}x{} does not broadcast to OFM {}x{}x{}", what, map.h,
                                                     map.w, map.c, op.ofm.h, op.ofm.w, op.ofm.c));
}

/// Leading zeros of the 32-bit pattern.
[[nodiscard]] inline std::int64_t leading_zeros(std::int64_t value) {
  return std::countl_zero(static_cast<std::uint32_t>(value));
}
/// Low 32 bits of the shifted value; 0 for an amount outside 0..31.
[[nodiscard]] inline std::int64_t shift_left(std::int64_t value, std::int64_t amount) {
  if (amount < 0 || amount > 31) return 0;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << amount);
}
[[nodiscard]] inline std::int64_t shift_right(std::int64_t value, std::int64_t amount, Rounding rounding) {
  return requantize(value, 1, static_cast<int>(std::clamp<std::int64_t>(amount, 0, 63)), rounding);
}

}  // namespace macaw::npu
