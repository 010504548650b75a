#include <cmath>

#include "reference/tosa/arith/float_tensor.hpp"
#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

constexpr std::int64_t kBlock = 32;

void set_block_size(Maker& m) { m.set(Attr::k_block_size, kBlock); }

/// Any encoding of a value type; scales near 1, now and then any.
Tensor encodings(Maker& m, DType dtype, const Shape& shape) {
  const auto bits = static_cast<std::int64_t>(info(dtype).bits);
  if (dtype == DType::kFP8UE8M0) {
    const bool any = m.one_in(6);
    auto bytes = m.values(DType::kINT8, shape, any ? -128 : 120, any ? 127 : 127);
    Tensor scales(dtype, shape);
    for (std::size_t i = 0; i < bytes.bytes().size(); ++i) scales.bytes()[i] = bytes.bytes()[i];
    return scales;
  }
  // The low bits hold the value; int8 elements are whole.
  const auto raw = bits == 8 ? m.values(DType::kINT8, shape) : m.values(DType::kINT8, shape, 0, (1 << bits) - 1);
  Tensor values(dtype, shape);
  for (std::size_t i = 0; i < raw.bytes().size(); ++i) values.bytes()[i] = raw.bytes()[i];
  return values;
}

void add_pair(Maker& m, DType values, DType scale, const Shape& shape) {
  m.add(encodings(m, values, shape));
  m.add(encodings(m, scale, scale_shape(shape)));
}

Shape blocks(Maker& m, int min_rank, int max_rank) {
  Shape shape = m.shape(min_rank - 1, max_rank - 1);
  for (auto& extent : shape) extent = std::min<std::int64_t>(extent, 5);
  shape.push_back(kBlock * m.pick(1, 3));
  return shape;
}

void cast_from(Maker& m) {
  set_block_size(m);
  const auto shape = blocks(m, 1, 4);
  add_pair(m, m.type("in_t"), m.type("scale_t"), shape);
  m.out(m.type("out_t"), shape);
}

void cast_to(Maker& m) {
  set_block_size(m);
  const auto shape = blocks(m, 1, 4);
  // Numbers of many magnitudes: what NaN and infinity give in a type without them is not specified.
  Tensor tensor(m.type("in_t"), shape);
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  const auto exponent = static_cast<int>(m.pick(-20, 20));
  for (auto& value : values) {
    value = 0;
    if (m.one_in(9)) continue;
    const auto less = static_cast<int>(m.pick(0, 9));
    value = std::ldexp(static_cast<double>(m.pick(-1000, 1000)), exponent - less);
  }
  tosa::store_floats<double>(values, tensor);
  m.add(std::move(tensor));
  m.out(m.type("out_t"), shape);
  m.out(m.type("scale_t"), scale_shape(shape));
}

void matmul_t(Maker& m) {
  set_block_size(m);
  const auto n = m.pick(1, 3), h = m.pick(1, 5), w = m.pick(1, 20), c = kBlock * m.pick(1, 3);
  add_pair(m, m.type("A_t"), m.type("scale_t"), {n, h, c});
  add_pair(m, m.type("B_t"), m.type("scale_t"), {m.one_in(3) ? 1 : n, w, c});
  m.out(m.type("out_t"), {n, h, w});
}

void conv2d(Maker& m) {
  set_block_size(m);
  const Shape in{m.pick(1, 2), m.pick(1, 5), m.pick(1, 5), kBlock * m.pick(1, 2)};
  const Shape weight{m.pick(1, 5), m.pick(1, 3), m.pick(1, 3), in[3]};
  std::vector<std::int64_t> pad, stride, dilation;
  Shape out{in[0]};
  for (std::size_t i = 1; i <= 2; ++i) {
    dilation.push_back(m.pick(1, 2));
    stride.push_back(m.pick(1, 2));
    const auto before = m.pick(0, 2);
    auto after = m.pick(0, 2);
    const auto reach = (weight[i] - 1) * dilation.back() + 1;
    while (in[i] + before + after < reach || (in[i] + before + after - reach) % stride.back() != 0) ++after;
    pad.insert(pad.end(), {before, after});
    out.push_back((in[i] + before + after - reach) / stride.back() + 1);
  }
  out.push_back(weight[0]);
  add_pair(m, m.type("in_t"), m.type("scale_t"), in);
  add_pair(m, m.type("weight_t"), m.type("scale_t"), weight);
  m.add(m.type("out_t"), {m.one_in(3) ? 1 : weight[0]});
  m.add_shape(pad);
  m.add_shape(stride);
  m.add_shape(dilation);
  m.out(m.type("out_t"), out);
}

/// Values alone or with scales, by what the row has.
void add_list(Maker& m, const Shape& shape) {
  const auto values = m.type("in_out_t"), scale = m.type("scale_t");
  const bool scaled = scale != tosa::kNoType;
  m.set(Attr::k_block_size, scaled ? kBlock : 1);
  if (scaled) add_pair(m, values, scale, shape);
  else m.add(values, shape);
}

void out_list(Maker& m, const Shape& shape) {
  m.out(m.type("in_out_t"), shape);
  if (m.type("scale_t") != tosa::kNoType) m.out(m.type("scale_t"), scale_shape(shape));
}

void reshape_block_scaled(Maker& m) {
  const auto a = m.pick(1, 4), b = m.pick(1, 4);
  add_list(m, {a, b, 2 * kBlock});
  const Shape to = m.one_in(2) ? Shape{a * b, 2 * kBlock} : Shape{b, 2 * a, kBlock};
  m.add_shape(to);
  out_list(m, to);
}

void row_gather_block_scaled(Maker& m) {
  const auto n = m.pick(1, 3), k = m.pick(1, 6), c = kBlock * m.pick(1, 2), w = m.pick(1, 4);
  const auto count = m.pick(1, k);
  add_list(m, {n, k, c});
  const auto most = m.one_in(20) ? k : k - count;
  m.add(m.type("index_t"), {n, w}, m.one_in(20) ? -1 : 0, most);
  m.add(DType::kINT32, {1}, count, count);
  out_list(m, {n, w * count, c});
}

constexpr OperatorCases kBlockScaledCases[] = {
    {Op::kCAST_FROM_BLOCK_SCALED, cast_from},
    {Op::kCAST_TO_BLOCK_SCALED, cast_to},
    {Op::kMATMUL_T_BLOCK_SCALED, matmul_t},
    {Op::kCONV2D_BLOCK_SCALED, conv2d},
    {Op::kRESHAPE_BLOCK_SCALED, reshape_block_scaled},
    {Op::kROW_GATHER_BLOCK_SCALED, row_gather_block_scaled},
};

}  // namespace

std::span<const OperatorCases> block_scaled_cases() { return kBlockScaledCases; }

}  // namespace macaw::test
