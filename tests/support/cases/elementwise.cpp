#include <algorithm>

#include "reference/tosa/arith/float_tensor.hpp"
#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

/// A shape that broadcasts with `shape`: some extents are 1. An extent of 1 may become larger.
Shape broadcasting(Maker& m, const Shape& shape) {
  Shape other = shape;
  if (m.one_in(2)) return other;
  for (auto& extent : other) {
    if (extent == 1 && m.one_in(3)) extent = m.pick(2, 4);
    else if (m.one_in(2)) extent = 1;
  }
  return other;
}

Shape joined(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(a[i], b[i]);
  return shape;
}

/// `out` null: the output has the type of the inputs.
void binary(Maker& m, DType in, DType out) {
  const auto& a = m.take(in, 0, 6);
  const auto& b = m.add(in, broadcasting(m, a.shape()));
  m.out(out, joined(a.shape(), b.shape()));
}

void same_type(Maker& m) { binary(m, m.type("in_out_t"), m.type("in_out_t")); }
void comparison(Maker& m) { binary(m, m.type("in_t"), m.type("out_t")); }

void shift(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& a = m.take(dtype, 0, 6);
  const auto bits = static_cast<std::int64_t>(info(dtype).bits);
  const auto least = m.one_in(20) ? -1 : 0;
  const auto& b = m.add(dtype, broadcasting(m, a.shape()), least, bits - 1);
  m.out(dtype, joined(a.shape(), b.shape()));
}

void arithmetic_right_shift(Maker& m) {
  shift(m);
  m.set_bool(Attr::k_round);
}

void intdiv(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& a = m.take(dtype, 0, 6);
  const auto most = m.pick(2, 2000), least = m.one_in(2) ? std::int64_t{1} : -9;
  auto divisor = m.values(dtype, broadcasting(m, a.shape()), least, most);
  const bool zero = m.one_in(20);
  const auto replace = [&](auto elements) {
    for (auto& value : elements)
      if (value == 0 && !zero) value = 7;
  };
  if (dtype == DType::kINT32) replace(divisor.data<std::int32_t>());
  else replace(divisor.data<std::int64_t>());
  const auto& b = m.add(std::move(divisor));
  m.out(dtype, joined(a.shape(), b.shape()));
}

void mul(Maker& m) {
  const auto in = m.type("in_t");
  binary(m, in, m.type("out_t"));
  const auto shift = in == DType::kINT32 && m.one_in(2) ? m.pick(0, m.one_in(4) ? 63 : 40) : 0;
  m.add(DType::kINT8, {1}, shift, shift);
}

/// Positive numbers to small powers.
void pow(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto positive = [&](Shape shape) {
    Tensor tensor(dtype, std::move(shape));
    std::vector<double> values(static_cast<std::size_t>(tensor.size()));
    for (auto& value : values) value = static_cast<double>(m.pick(0, 4000)) / 256;
    tosa::store_floats<double>(values, tensor);
    return tensor;
  };
  const auto& a = m.add(positive(m.shape(0, 6)));
  const auto& b = m.one_in(4) ? m.add(dtype, broadcasting(m, a.shape())) : m.add(positive(broadcasting(m, a.shape())));
  m.out(dtype, joined(a.shape(), b.shape()));
}

void unary(Maker& m) {
  const auto dtype = m.type("in_out_t");
  m.out(dtype, m.take(dtype, 0, 6).shape());
}

void negate(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& in = m.take(dtype, 0, 6);
  for (int i = 0; i < 2; ++i) m.add(dtype == DType::kINT8 ? m.values(dtype, {1}) : Tensor(dtype, {1}));
  m.out(dtype, in.shape());
}

void select(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto choice = m.values(DType::kBOOL, m.shape(0, 6));
  m.add(choice);
  const auto& a = m.add(dtype, broadcasting(m, choice.shape()));
  // Two extents above 1 that differ would not broadcast, so the third operand follows from both.
  const auto both = joined(choice.shape(), a.shape());
  const auto& b = m.add(dtype, broadcasting(m, both));
  m.out(dtype, joined(both, b.shape()));
}

void clamp(Maker& m) {
  const auto dtype = m.type("in_out_t");
  const auto& in = m.take(dtype, 0, 6);
  std::vector<Tensor> bounds;
  if (is_float(dtype)) {
    std::vector<double> values{static_cast<double>(m.pick(-2000, 2000)) / 256,
                               static_cast<double>(m.pick(-2000, 2000)) / 256};
    std::ranges::sort(values);
    for (const double value : values) {
      bounds.emplace_back(dtype, Shape{});
      tosa::store_floats<double>(std::span(&value, 1), bounds.back());
    }
  } else {
    const auto low = m.pick(-128, 127), high = m.pick(low, 127);
    bounds = {m.values(dtype, {}, low, low), m.values(dtype, {}, high, high)};
  }
  const auto bytes = [](const Tensor& tensor) {
    return std::vector<std::byte>(tensor.bytes().begin(), tensor.bytes().end());
  };
  m.set(Attr::k_min_val, bytes(bounds[0]));
  m.set(Attr::k_max_val, bytes(bounds[1]));
  m.out(dtype, in.shape());
}

void table(Maker& m) {
  const auto in = m.type("in_t");
  const auto& x = m.take(in, 0, 6);
  const bool narrow = in == DType::kINT8;
  // Entries of int16 tables that differ by more than a 16-bit number break a REQUIRE.
  const std::int64_t limit = narrow ? 128 : m.one_in(20) ? 32768 : 16383;
  m.add(m.type("table_t"), {narrow ? 256 : 513}, -limit, limit - 1);
  m.out(m.type("out_t"), x.shape());
}

constexpr OperatorCases kElementwiseCases[] = {
    {Op::kADD, same_type},
    {Op::kSUB, same_type},
    {Op::kMAXIMUM, same_type},
    {Op::kMINIMUM, same_type},
    {Op::kBITWISE_AND, same_type},
    {Op::kBITWISE_OR, same_type},
    {Op::kBITWISE_XOR, same_type},
    {Op::kLOGICAL_AND, same_type},
    {Op::kLOGICAL_OR, same_type},
    {Op::kLOGICAL_XOR, same_type},
    {Op::kLOGICAL_LEFT_SHIFT, shift},
    {Op::kLOGICAL_RIGHT_SHIFT, shift},
    {Op::kARITHMETIC_RIGHT_SHIFT, arithmetic_right_shift},
    {Op::kINTDIV, intdiv},
    {Op::kMUL, mul},
    {Op::kPOW, pow},
    {Op::kEQUAL, comparison},
    {Op::kGREATER, comparison},
    {Op::kGREATER_EQUAL, comparison},
    {Op::kABS, unary},
    {Op::kBITWISE_NOT, unary},
    {Op::kCEIL, unary},
    {Op::kCLZ, unary},
    {Op::kCOS, unary},
    {Op::kERF, unary},
    {Op::kEXP, unary},
    {Op::kFLOOR, unary},
    {Op::kLOG, unary},
    {Op::kLOGICAL_NOT, unary},
    {Op::kRECIPROCAL, unary},
    {Op::kRSQRT, unary},
    {Op::kSIGMOID, unary},
    {Op::kSIN, unary},
    {Op::kTANH, unary},
    {Op::kNEGATE, negate},
    {Op::kSELECT, select},
    {Op::kCLAMP, clamp},
    {Op::kTABLE, table},
};

}  // namespace

std::span<const OperatorCases> elementwise_cases() { return kElementwiseCases; }

}  // namespace macaw::test
