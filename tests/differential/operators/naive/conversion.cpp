#include <algorithm>
#include <cmath>

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

std::int64_t zero_extended(std::int64_t value, DType dtype) {
  const auto bits = info(dtype).bits;
  return bits == 64 ? value : value & ((std::int64_t{1} << bits) - 1);
}

/// Ties to the even integer, by hand.
double rounded(double value) {
  const double below = std::floor(value), rest = value - below;
  if (rest != 0.5) return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2) == 0 ? below : below + 1;
}

void cast(Node& n) {
  const auto& in = n.in[0];
  auto& out = n.out[0];
  if (is_block_scale(out.dtype())) return cast_to_blocks(n);
  const bool is_unsigned = n.attr(Attr::k_input_unsigned) != 0;
  for (std::int64_t o = 0; o < out.size(); ++o) {
    if (is_float(in.dtype())) {
      // access_elem_type of a block-scaled type is fp32.
      const double value = is_block_scale(in.dtype()) ? float_at(in, o) : double_at(in, o);
      if (is_float(out.dtype())) put_double(out, o, value);
      else if (out.dtype() == DType::kBOOL) put_int(out, o, value != 0);
      // The result for NaN is not specified; Macaw returns 0.
      else if (std::isnan(value)) put_int(out, o, 0);
      else
        put_int(out, o,
                static_cast<std::int64_t>(std::clamp(rounded(value), static_cast<double>(minimum(out.dtype())),
                                                     static_cast<double>(maximum(out.dtype())))));
      continue;
    }
    const auto value = is_unsigned ? zero_extended(int_at(in, o), in.dtype()) : int_at(in, o);
    if (out.dtype() == DType::kBOOL) put_int(out, o, value != 0);
    else if (is_float(out.dtype())) put_double(out, o, static_cast<double>(value));
    else put_int(out, o, value);
  }
}

void rescale(Node& n) {
  const auto& in = n.in[0];
  auto& out = n.out[0];
  const bool from_unsigned = n.attr(Attr::k_input_unsigned) != 0, to_unsigned = n.attr(Attr::k_output_unsigned) != 0;
  const auto in_zp = from_unsigned ? zero_extended(int_at(n.in[3], 0), in.dtype()) : int_at(n.in[3], 0);
  const auto out_zp = to_unsigned ? zero_extended(int_at(n.in[4], 0), out.dtype()) : int_at(n.in[4], 0);
  const auto low = to_unsigned ? 0 : minimum(out.dtype());
  const auto high = to_unsigned ? 2 * maximum(out.dtype()) + 1 : maximum(out.dtype());
  const bool double_round =
      n.attr(Attr::k_rounding_mode) == static_cast<std::int64_t>(tosa::RoundingMode::kDoubleRound);
  for (std::int64_t o = 0; o < out.size(); ++o) {
    const auto c = n.attr(Attr::k_per_channel) != 0 ? o % in.shape().back() : 0;
    const auto value = (from_unsigned ? zero_extended(int_at(in, o), in.dtype()) : int_at(in, o)) - in_zp;
    const auto multiplier = int_at(n.in[1], c), shift = int_at(n.in[2], c);
    const auto scaled = n.attr(Attr::k_scale32) != 0 ? apply_scale_32(value, multiplier, shift, double_round)
                                                     : apply_scale_16(value, multiplier, shift);
    put_int(out, o, std::clamp(checked(Wide{scaled} + out_zp, DType::kINT32), low, high));
  }
}

/// Position of an output on one axis of the input: the two neighbours and the distance from the first.
struct Place {
  std::int64_t first, second, rest;
};

Place place(const Node& n, std::size_t axis, std::int64_t o) {
  const auto i = static_cast<std::int64_t>(axis);
  const auto numerator = int_at(n.in[1], 2 * i), denominator = int_at(n.in[1], 2 * i + 1);
  const auto position = o * denominator + int_at(n.in[2], i);
  auto whole = position / numerator;
  if (position % numerator < 0) --whole;
  const auto last = n.in[0].shape()[axis + 1] - 1;
  return {std::max<std::int64_t>(whole, 0), std::min(whole + 1, last), position - whole * numerator};
}

void resize(Node& n) {
  const auto& in = n.in[0];
  const auto& s = in.shape();
  const auto unit_y = int_at(n.in[1], 0), unit_x = int_at(n.in[1], 2);
  const bool bilinear = n.attr(Attr::k_mode) == static_cast<std::int64_t>(tosa::ResizeMode::kBilinear);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const auto y = place(n, 0, at[1]), x = place(n, 1, at[2]);
    const auto from = [&](std::int64_t iy, std::int64_t ix) { return offset(s, {at[0], iy, ix, at[3]}); };
    if (!bilinear) {
      const auto iy = 2 * y.rest >= unit_y ? y.second : y.first, ix = 2 * x.rest >= unit_x ? x.second : x.first;
      copy_element(n.out[0], o, in, from(iy, ix));
    } else if (is_float(in.dtype())) {
      const auto dy = static_cast<float>(y.rest) / static_cast<float>(unit_y);
      const auto dx = static_cast<float>(x.rest) / static_cast<float>(unit_x);
      float sum = float_at(in, from(y.first, x.first)) * (1.0F - dy) * (1.0F - dx);
      sum += float_at(in, from(y.first, x.second)) * (1.0F - dy) * dx;
      sum += float_at(in, from(y.second, x.first)) * dy * (1.0F - dx);
      sum += float_at(in, from(y.second, x.second)) * dy * dx;
      put_double(n.out[0], o, sum);
    } else {
      const auto sum = int_at(in, from(y.first, x.first)) * (unit_y - y.rest) * (unit_x - x.rest) +
                       int_at(in, from(y.first, x.second)) * (unit_y - y.rest) * x.rest +
                       int_at(in, from(y.second, x.first)) * y.rest * (unit_x - x.rest) +
                       int_at(in, from(y.second, x.second)) * y.rest * x.rest;
      put_int(n.out[0], o, sum);
    }
  }
}

constexpr Entry kConversionEntries[] = {{Op::kCAST, cast}, {Op::kRESCALE, rescale}, {Op::kRESIZE, resize}};

}  // namespace

std::span<const Entry> conversions() { return kConversionEntries; }

}  // namespace macaw::test::naive
