#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

void resize(Maker& m) {
  const auto in_t = m.type("in_t"), out_t = m.type("out_t");
  const auto& in = m.take(in_t, 4, 4);
  const auto bilinear = is_block_scale(in_t) ? 0 : is_float(in_t) ? m.pick(0, 1) : in_t != out_t;
  std::vector<std::int64_t> scale, offset, border;
  Shape out{in.shape()[0]};
  for (std::size_t i = 1; i <= 2; ++i) {
    // Up to 4 times larger, or smaller down to a third.
    const auto numerator = m.pick(1, 8), denominator = m.pick(std::max<std::int64_t>(1, numerator / 4), 3 * numerator);
    const auto begin = m.pick(-numerator, in.shape()[i] > 1 ? 2 * numerator : numerator);
    auto end = m.pick(-numerator, numerator - 1);
    const auto span = [&] { return (in.shape()[i] - 1) * numerator - begin + end; };
    // The largest border that leaves whole steps; where there is none the axis keeps its size.
    while (end >= -16 * numerator && span() >= 0 && span() % denominator != 0) --end;
    if (end < -16 * numerator || span() < 0) {
      scale.insert(scale.end(), {1, 1});
      offset.push_back(0);
      border.push_back(0);
      out.push_back(in.shape()[i]);
      continue;
    }
    scale.insert(scale.end(), {numerator, denominator});
    offset.push_back(begin);
    border.push_back(end);
    out.push_back(span() / denominator + 1);
  }
  out.push_back(in.shape()[3]);
  m.add_shape(scale);
  m.add_shape(offset);
  m.add_shape(border);
  m.set(Attr::k_mode,
        static_cast<std::int64_t>(bilinear ? tosa::ResizeMode::kBilinear : tosa::ResizeMode::kNearestNeighbor));
  m.out(out_t, out);
}

void cast(Maker& m) {
  const auto in = m.type("in_t"), out = m.type("out_t");
  const auto& x = is_block_scale(out) ? m.add(in, m.shape(out, 1, 6)) : m.take(in, 0, 6);
  if (!is_float(in) && in != DType::kBOOL && m.one_in(4)) m.set(Attr::k_input_unsigned, std::int64_t{1});
  m.out(out, x.shape());
}

Tensor zero_point(Maker& m, DType dtype, bool is_unsigned) {
  if (dtype == DType::kINT8) return m.values(dtype, {1});
  // 32768 as an int16 element.
  if (dtype == DType::kINT16 && is_unsigned && m.one_in(2)) return m.values(dtype, {1}, -32768, -32768);
  return Tensor(dtype, {1});
}

void rescale(Maker& m) {
  const auto in_t = m.type("in_t"), out_t = m.type("out_t");
  const auto narrow = [](DType dtype) { return dtype == DType::kINT8 || dtype == DType::kINT16; };
  const bool scale32 = in_t != DType::kINT48 && m.one_in(2);
  const bool both_narrow = narrow(in_t) && narrow(out_t);
  const bool from_unsigned = both_narrow && m.one_in(4), to_unsigned = both_narrow && !from_unsigned && m.one_in(4);
  const auto shift = scale32 ? m.pick(in_t == DType::kINT32 ? 32 : 20, 50) : m.pick(in_t == DType::kINT48 ? 30 : 8, 50);
  Shape shape;
  if (in_t == DType::kINT48)
    shape = m.add(in_t, m.shape(0, 6), -(std::int64_t{1} << 40), std::int64_t{1} << 40).shape();
  else shape = m.take(in_t, 0, 6).shape();
  const bool per_channel = !shape.empty() && m.one_in(2);
  const auto channels = per_channel ? shape.back() : 1;
  if (scale32) m.add(DType::kINT32, {channels}, std::int64_t{1} << 30, (std::int64_t{1} << 31) - 1);
  else m.add(DType::kINT16, {channels}, 1 << 14, (1 << 15) - 1);
  m.add(DType::kINT8, {channels}, std::max<std::int64_t>(shift - 3, 2), shift);
  m.add(zero_point(m, in_t, from_unsigned));
  m.add(zero_point(m, out_t, to_unsigned));
  const auto rounding = scale32 && m.one_in(3) ? tosa::RoundingMode::kDoubleRound : tosa::RoundingMode::kSingleRound;
  m.set(Attr::k_scale32, std::int64_t{scale32});
  m.set(Attr::k_rounding_mode, static_cast<std::int64_t>(rounding));
  m.set(Attr::k_per_channel, std::int64_t{per_channel});
  m.set(Attr::k_input_unsigned, std::int64_t{from_unsigned});
  m.set(Attr::k_output_unsigned, std::int64_t{to_unsigned});
  m.out(out_t, shape);
}

void identity(Maker& m) {
  const auto& in = m.take(m.type("in_out_t"), 0, 6);
  m.out(in.dtype(), in.shape());
}

void constant(Maker& m) {
  m.made().data = m.values(m.type("out_t"), m.shape(m.type("out_t"), 0, 6));
  m.out(m.made().data.dtype(), m.made().data.shape());
}

void const_shape(Maker& m) {
  m.made().data = m.values(DType::kSHAPE, {m.pick(1, 6)}, 0, 1000);
  m.out(DType::kSHAPE, m.made().data.shape());
}

constexpr OperatorCases kOtherCases[] = {
    {Op::kRESIZE, resize},     {Op::kCAST, cast},      {Op::kRESCALE, rescale},
    {Op::kIDENTITY, identity}, {Op::kCONST, constant}, {Op::kCONST_SHAPE, const_shape},
};

}  // namespace

std::span<const OperatorCases> other_cases() { return kOtherCases; }

}  // namespace macaw::test
