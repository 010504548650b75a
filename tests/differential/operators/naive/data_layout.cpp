#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

/// Every output element is the input element at From(node, output index).
template <Shape (*From)(const Node&, Shape)>
void moved(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o)
    copy_element(n.out[0], o, n.in[0], offset(n.in[0].shape(), From(n, index_of(n.out[0].shape(), o))));
}

Shape reversed(const Node& n, Shape at) {
  const auto axis = static_cast<std::size_t>(n.attr(Attr::k_axis));
  at[axis] = n.in[0].shape()[axis] - 1 - at[axis];
  return at;
}
Shape sliced(const Node& n, Shape at) {
  for (std::size_t i = 0; i < at.size(); ++i) at[i] += int_at(n.in[1], static_cast<std::int64_t>(i));
  return at;
}
Shape tiled(const Node& n, Shape at) {
  for (std::size_t i = 0; i < at.size(); ++i) at[i] %= n.in[0].shape()[i];
  return at;
}
Shape transposed(const Node& n, Shape at) {
  Shape from(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) from[static_cast<std::size_t>(n.attr(Attr::k_perms, i))] = at[i];
  return from;
}

void same_order(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) copy_element(n.out[0], o, n.in[0], o);
}

void concat(Node& n) {
  const auto axis = static_cast<std::size_t>(n.attr(Attr::k_axis));
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    auto at = index_of(n.out[0].shape(), o);
    std::size_t from = 0;
    for (; at[axis] >= n.in[from].shape()[axis]; ++from) at[axis] -= n.in[from].shape()[axis];
    copy_element(n.out[0], o, n.in[from], offset(n.in[from].shape(), at));
  }
}

void pad(Node& n) {
  const auto& shape = n.in[0].shape();
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    auto at = index_of(n.out[0].shape(), o);
    bool inside = true;
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i] -= int_at(n.in[1], static_cast<std::int64_t>(2 * i));
      inside &= at[i] >= 0 && at[i] < shape[i];
    }
    if (inside) copy_element(n.out[0], o, n.in[0], offset(shape, at));
    else copy_element(n.out[0], o, n.in[2], 0);
  }
}

void gather(Node& n) {
  const auto& values = n.in[0].shape();
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const auto k = int_at(n.in[1], offset(n.in[1].shape(), {at[0], at[1]}));
    require(k >= 0 && k < values[1]);
    copy_element(n.out[0], o, n.in[0], offset(values, {at[0], k, at[2]}));
  }
}

void scatter(Node& n) {
  same_order(n);
  const auto& values = n.out[0].shape();
  std::vector<bool> modified(static_cast<std::size_t>(n.out[0].size()));
  for (std::int64_t i = 0; i < n.in[2].size(); ++i) {
    const auto at = index_of(n.in[2].shape(), i);
    const auto k = int_at(n.in[1], offset(n.in[1].shape(), {at[0], at[1]}));
    require(k >= 0 && k < values[1]);
    const auto to = offset(values, {at[0], k, at[2]});
    require(!modified[static_cast<std::size_t>(to)]);
    copy_element(n.out[0], to, n.in[2], i);
    modified[static_cast<std::size_t>(to)] = true;
  }
}

constexpr Entry kDataLayoutEntries[] = {
    {Op::kCONCAT, concat},           {Op::kPAD, pad},
    {Op::kRESHAPE, same_order},      {Op::kIDENTITY, same_order},
    {Op::kREVERSE, moved<reversed>}, {Op::kSLICE, moved<sliced>},
    {Op::kTILE, moved<tiled>},       {Op::kTRANSPOSE, moved<transposed>},
    {Op::kGATHER, gather},           {Op::kSCATTER, scatter},
};

}  // namespace

std::span<const Entry> data_layout() { return kDataLayoutEntries; }

}  // namespace macaw::test::naive
