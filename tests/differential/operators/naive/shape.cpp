#include <algorithm>

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;
using I = std::int64_t;

/// In the range of tensor_size_t, at level 8K.
I in_range(I value) {
  require(value >= -(I{1} << 31) && value < I{1} << 31);
  return value;
}

/// F(a, b) of every pair of elements; a divisor is positive and a dividend not negative if `kDivides`.
template <auto F, bool kDivides = false>
void shape_binary(Node& n) {
  for (I o = 0; o < n.out[0].size(); ++o) {
    const auto a = int_at(n.in[0], o), b = int_at(n.in[1], o);
    if (kDivides) require(a >= 0 && b >= 1);
    put_int(n.out[0], o, in_range(F(a, b)));
  }
}

void exp2(Node& n) {
  for (I o = 0; o < n.out[0].size(); ++o) {
    const auto a = int_at(n.in[0], o);
    require(a >= 0 && a < 31);  // level 8K
    I power = 1;
    for (I i = 0; i < a; ++i) power *= 2;
    put_int(n.out[0], o, power);
  }
}

template <bool kCeil>
void log2(Node& n) {
  for (I o = 0; o < n.out[0].size(); ++o) {
    const auto a = int_at(n.in[0], o);
    require(a >= 1);
    I log = 0, rest = a;
    while (rest >>= 1) ++log;
    if (kCeil && a != I{1} << log) ++log;
    put_int(n.out[0], o, log);
  }
}

void concat_shape(Node& n) {
  I to = 0;
  for (const auto& in : n.in)
    for (I i = 0; i < in.size(); ++i) put_int(n.out[0], to++, int_at(in, i));
}

void slice(Node& n) {
  for (I o = 0; o < n.out[0].size(); ++o) put_int(n.out[0], o, int_at(n.in[0], o + int_at(n.in[1], 0)));
}

void dim(Node& n) { put_int(n.out[0], 0, n.in[0].shape()[static_cast<std::size_t>(n.attr(Attr::k_axis))]); }

constexpr Entry kShapeEntries[] = {
    {Op::kADD_SHAPE, shape_binary<[](I a, I b) { return a + b; }>},
    {Op::kSUB_SHAPE, shape_binary<[](I a, I b) { return a - b; }>},
    {Op::kMUL_SHAPE, shape_binary<[](I a, I b) { return a * b; }>},
    {Op::kMAX_SHAPE, shape_binary<[](I a, I b) { return std::max(a, b); }>},
    {Op::kMIN_SHAPE, shape_binary<[](I a, I b) { return std::min(a, b); }>},
    {Op::kDIV_CEIL_SHAPE, shape_binary<[](I a, I b) { return (a + b - 1) / b; }, true>},
    {Op::kDIV_FLOOR_SHAPE, shape_binary<[](I a, I b) { return a / b; }, true>},
    {Op::kMOD_SHAPE, shape_binary<[](I a, I b) { return a - a / b * b; }, true>},
    {Op::kEXP2_SHAPE, exp2},
    {Op::kLOG2_CEIL_SHAPE, log2<true>},
    {Op::kLOG2_FLOOR_SHAPE, log2<false>},
    {Op::kCONCAT_SHAPE, concat_shape},
    {Op::kSLICE_SHAPE, slice},
    {Op::kDIM, dim},
    {Op::kASSERT_EQUAL_SHAPE, [](Node&) {}},
};

}  // namespace

std::span<const Entry> shapes() { return kShapeEntries; }

}  // namespace macaw::test::naive
