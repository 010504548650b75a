#include "sim/datapath/byte_sums.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/uncleared.hpp"

#include <algorithm>
#include <array>

namespace macaw::npu {
namespace {

/// Term of each byte value, numbered from the minimum of its type.
using Terms = std::array<std::int64_t, 256>;

Terms terms_of(const Addend& addend) {
  const FeatureMap& map = addend.map.map();
  const std::int64_t least = int_range(8, map.is_signed).min - map.zero_point;
  Terms terms;
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = addend.term(least + static_cast<std::int64_t>(i));
  return terms;
}

bool sums_fit(const Terms& a, const Terms& b) {
  const auto [least_a, most_a] = std::ranges::minmax(a);
  const auto [least_b, most_b] = std::ranges::minmax(b);
  return Int128{least_a} + least_b >= INT32_MIN && Int128{most_a} + most_b <= INT32_MAX;
}

/// The elements of an operand, dense, with steps of zero along broadcast axes.
struct Elements {
  Uncleared<std::uint8_t> bytes;
  std::array<std::int32_t, 256> terms;
  std::ptrdiff_t step_y, step_x, step_c;

  Elements(const FeatureMapView& view, const Terms& all) {
    const FeatureMap& map = view.map();
    const std::ptrdiff_t row = std::ptrdiff_t{map.w} * map.c;
    bytes.resize(static_cast<std::size_t>(row) * static_cast<std::size_t>(map.h));
    for (int y = 0; y < map.h; ++y) view.read_bytes(y, bytes.data() + y * row, map.c);
    // Terms that do not fit are added modulo 2^32; only their sums have to fit.
    std::ranges::transform(all, terms.begin(), [](std::int64_t term) { return static_cast<std::int32_t>(term); });
    step_y = map.h > 1 ? row : 0;
    step_x = map.w > 1 ? map.c : 0;
    step_c = map.c > 1 ? 1 : 0;
  }
};

}  // namespace

bool sum_bytes(const BlockOperation& op, const Addend& first, const Addend& second, const Scaling& scaling,
               OutputRows& out) {
  if (!out.computes() || first.map.map().bits != 8 || second.map.map().bits != 8) return false;
  const Terms terms_a = terms_of(first), terms_b = terms_of(second);
  if (!sums_fit(terms_a, terms_b)) return false;
  out.scale_with(ChannelScaling(scaling, op.ofm.c, 32), false);
  if (!out.in_lanes()) return false;
  const Elements a(first.map, terms_a), b(second.map, terms_b);
  const std::ptrdiff_t stride = round_up(op.ofm.c, kGemmChannels);
  out.for_rows([&](int begin, int end, RowWriter& writer) {
    std::vector<std::int32_t> sums(static_cast<std::size_t>(op.ofm.w * stride));
    for (int y = begin; y < end; ++y) {
      for (int x = 0; x < op.ofm.w; ++x) {
        const std::uint8_t* from_a = a.bytes.data() + y * a.step_y + x * a.step_x;
        const std::uint8_t* from_b = b.bytes.data() + y * b.step_y + x * b.step_x;
        std::int32_t* const sum = sums.data() + x * stride;
        for (int c = 0; c < op.ofm.c; ++c, from_a += a.step_c, from_b += b.step_c)
          sum[c] = static_cast<std::int32_t>(std::uint32_t(a.terms[*from_a]) + std::uint32_t(b.terms[*from_b]));
      }
      writer.store(y, sums.data(), stride);
    }
  });
  return true;
}

}  // namespace macaw::npu
