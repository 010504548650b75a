#include <algorithm>

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

/// F(a, b, type, node) for every element, with broadcasting; integers and booleans.
template <auto F>
void binary(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const auto a = int_at(n.in[0], broadcast_offset(n.in[0].shape(), at));
    const auto b = int_at(n.in[1], broadcast_offset(n.in[1].shape(), at));
    put_int(n.out[0], o, F(a, b, n.in[0].dtype(), n));
  }
}

template <auto F>
void unary(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) put_int(n.out[0], o, F(int_at(n.in[0], o), n.in[0].dtype(), n));
}

void check_shift(std::int64_t shift, DType dtype) { require(shift >= 0 && shift < info(dtype).bits); }

std::int64_t left_shift(std::int64_t a, std::int64_t b, DType dtype, const Node&) {
  check_shift(b, dtype);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
}

std::int64_t logical_right_shift(std::int64_t a, std::int64_t b, DType dtype, const Node&) {
  check_shift(b, dtype);
  const auto bits = info(dtype).bits;
  const auto mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(a) & mask) >> b);
}

std::int64_t arithmetic_right_shift(std::int64_t a, std::int64_t b, DType dtype, const Node& n) {
  check_shift(b, dtype);
  auto result = a >> b;
  if (n.attr(Attr::k_round) != 0 && b > 0 && ((a >> (b - 1)) & 1) != 0) ++result;
  return result;
}

std::int64_t divide(std::int64_t a, std::int64_t b, DType dtype, const Node&) {
  require(b != 0);
  return checked(Wide{a} / b, dtype);
}

std::int64_t multiply(std::int64_t a, std::int64_t b, DType dtype, const Node& n) {
  const auto shift = int_at(n.in[2], 0);
  require(shift >= 0 && shift <= 63);
  require(dtype == DType::kINT32 || shift == 0);
  if (shift == 0) return static_cast<std::int64_t>(Wide{a} * b);
  return checked((Wide{a} * b + (Wide{1} << (shift - 1))) >> shift, DType::kINT32);
}

std::int64_t negate(std::int64_t a, DType dtype, const Node& n) {
  const auto acc = dtype == DType::kINT64 ? DType::kINT64 : DType::kINT32;
  const auto value = checked(-Wide{checked(Wide{a} - int_at(n.in[1], 0), acc)}, acc);
  return std::clamp(checked(Wide{value} + int_at(n.in[2], 0), acc), minimum(dtype), maximum(dtype));
}

std::int64_t leading_zeros(std::int64_t a, DType dtype, const Node&) {
  std::int64_t zeros = 0;
  for (auto bit = static_cast<int>(info(dtype).bits); bit-- > 0 && ((a >> bit) & 1) == 0;) ++zeros;
  return zeros;
}

/// apply_lookup_s of introduction.adoc, and the plain table of 256 entries.
std::int64_t look_up(std::int64_t a, DType dtype, const Node& n) {
  const auto& table = n.in[1];
  require(table.size() == (dtype == DType::kINT8 ? 256 : 513));
  if (dtype == DType::kINT8) return int_at(table, a + 128);
  const auto index = (a + 32768) >> 7, fraction = a & 0x7F;
  const auto base = int_at(table, index);
  const auto slope = checked(Wide{int_at(table, index + 1)} - base, DType::kINT16);
  return (base << 7) + slope * fraction;
}

/// Integer rows of operators that also have floating-point rows, which are in float.cpp.
template <auto F>
void binary_or_float(Node& n) {
  if (!is_float(n.in[0].dtype())) return binary<F>(n);
  for (const auto& entry : floats())
    if (entry.op == n.op.op) return entry.compute(n);
}
template <auto F>
void unary_or_float(Node& n) {
  if (!is_float(n.in[0].dtype())) return unary<F>(n);
  for (const auto& entry : floats())
    if (entry.op == n.op.op) return entry.compute(n);
}

using I = std::int64_t;
constexpr Entry kIntegerEntries[] = {
    {Op::kADD, binary_or_float<[](I a, I b, DType t, const Node&) { return checked(Wide{a} + b, t); }>},
    {Op::kSUB, binary_or_float<[](I a, I b, DType t, const Node&) { return checked(Wide{a} - b, t); }>},
    {Op::kMUL, binary_or_float<multiply>},
    {Op::kINTDIV, binary<divide>},
    {Op::kMAXIMUM, binary_or_float<[](I a, I b, DType, const Node&) { return std::max(a, b); }>},
    {Op::kMINIMUM, binary_or_float<[](I a, I b, DType, const Node&) { return std::min(a, b); }>},
    {Op::kEQUAL, binary_or_float<[](I a, I b, DType, const Node&) { return I{a == b}; }>},
    {Op::kGREATER, binary_or_float<[](I a, I b, DType, const Node&) { return I{(a > b)}; }>},
    {Op::kGREATER_EQUAL, binary_or_float<[](I a, I b, DType, const Node&) { return I{(a >= b)}; }>},
    {Op::kBITWISE_AND, binary<[](I a, I b, DType, const Node&) { return a & b; }>},
    {Op::kBITWISE_OR, binary<[](I a, I b, DType, const Node&) { return a | b; }>},
    {Op::kBITWISE_XOR, binary<[](I a, I b, DType, const Node&) { return a ^ b; }>},
    {Op::kLOGICAL_AND, binary<[](I a, I b, DType, const Node&) { return a & b; }>},
    {Op::kLOGICAL_OR, binary<[](I a, I b, DType, const Node&) { return a | b; }>},
    {Op::kLOGICAL_XOR, binary<[](I a, I b, DType, const Node&) { return I{a != b}; }>},
    {Op::kLOGICAL_LEFT_SHIFT, binary<left_shift>},
    {Op::kLOGICAL_RIGHT_SHIFT, binary<logical_right_shift>},
    {Op::kARITHMETIC_RIGHT_SHIFT, binary<arithmetic_right_shift>},
    {Op::kABS, unary_or_float<[](I a, DType t, const Node&) { return checked(a < 0 ? -Wide{a} : Wide{a}, t); }>},
    {Op::kNEGATE, unary_or_float<negate>},
    {Op::kBITWISE_NOT, unary<[](I a, DType, const Node&) { return ~a; }>},
    {Op::kLOGICAL_NOT, unary<[](I a, DType, const Node&) { return I{a == 0}; }>},
    {Op::kCLZ, unary<leading_zeros>},
    {Op::kTABLE, unary<look_up>},
};

}  // namespace

std::span<const Entry> integers() { return kIntegerEntries; }

}  // namespace macaw::test::naive
