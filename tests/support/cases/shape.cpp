#include "tests/support/cases/case.hpp"

namespace macaw::test {
namespace {

using tosa::Attr;
using tosa::Op;

constexpr auto kShape = DType::kSHAPE;

/// Elements from kLow on; a divisor of 0 or a negative dividend now and then.
template <std::int64_t kLow>
void binary(Maker& m) {
  const auto length = m.take_shape(0, 1000).size();
  m.add_shape(m.extents(length, m.one_in(20) ? kLow - 1 : kLow, 40));
  m.out(kShape, {length});
}

template <std::int64_t kLow, std::int64_t kHigh>
void unary_shape(Maker& m) {
  m.out(kShape, m.take_shape(m.one_in(20) ? kLow - 1 : kLow, kHigh).shape());
}

void concat_shape(Maker& m) {
  std::int64_t total = 0;
  for (auto members = m.pick(1, 3); members > 0; --members) {
    total += total == 0 ? m.take_shape(0, 1000).size() : m.add_shape(m.extents(m.pick(1, 5), 0, 1000)).size();
  }
  m.out(kShape, {total});
}

void slice_shape(Maker& m) {
  const auto length = m.take_shape(0, 1000).size(), start = m.pick(0, length - 1), size = m.pick(1, length - start);
  m.add(DType::kINT32, {1}, start, start);
  m.add(DType::kINT32, {1}, size, size);
  m.out(kShape, {size});
}

void dim(Maker& m) {
  const auto& in = m.take(m.type("in_t"), 1, 6);
  m.set(Attr::k_axis, m.pick(0, std::ssize(in.shape()) - 1));
  m.out(kShape, {1});
}

void assert_equal(Maker& m) {
  const auto values = m.extents(m.pick(1, 6), 1, 9);
  auto other = values;
  const bool broadcast = m.one_in(2);
  if (broadcast) other[static_cast<std::size_t>(m.pick(0, std::ssize(other) - 1))] = 1;
  m.add_shape(values);
  m.add_shape(other);
  m.set(Attr::k_allow_broadcast, std::int64_t{broadcast});
}

constexpr OperatorCases kShapeCases[] = {
    {Op::kADD_SHAPE, binary<0>},
    {Op::kSUB_SHAPE, binary<0>},
    {Op::kMUL_SHAPE, binary<0>},
    {Op::kMAX_SHAPE, binary<0>},
    {Op::kMIN_SHAPE, binary<0>},
    {Op::kDIV_CEIL_SHAPE, binary<1>},
    {Op::kDIV_FLOOR_SHAPE, binary<1>},
    {Op::kMOD_SHAPE, binary<1>},
    {Op::kEXP2_SHAPE, unary_shape<0, 30>},
    {Op::kLOG2_CEIL_SHAPE, unary_shape<1, 5000>},
    {Op::kLOG2_FLOOR_SHAPE, unary_shape<1, 5000>},
    {Op::kCONCAT_SHAPE, concat_shape},
    {Op::kSLICE_SHAPE, slice_shape},
    {Op::kDIM, dim},
    {Op::kASSERT_EQUAL_SHAPE, assert_equal},
};

}  // namespace

std::span<const OperatorCases> shape_cases() { return kShapeCases; }

}  // namespace macaw::test
