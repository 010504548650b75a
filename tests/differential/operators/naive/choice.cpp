#include <algorithm>

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

void select(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const bool first = int_at(n.in[0], broadcast_offset(n.in[0].shape(), at)) != 0;
    const auto& from = n.in[first ? 1 : 2];
    copy_element(n.out[0], o, from, broadcast_offset(from.shape(), at));
  }
}

Tensor bound(const Node& n, Attr attribute) {
  Tensor tensor(n.in[0].dtype(), {});
  std::ranges::copy(n.op.get_bytes(attribute), tensor.bytes().begin());
  return tensor;
}

void clamp(Node& n) {
  const auto low = bound(n, Attr::k_min_val), high = bound(n, Attr::k_max_val);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    if (is_float(n.in[0].dtype())) {
      const auto raised = max_of(double_at(n.in[0], o), double_at(low, 0), n.ignores_nan());
      put_double(n.out[0], o, min_of(raised, double_at(high, 0), n.ignores_nan()));
    } else {
      put_int(n.out[0], o, std::min(std::max(int_at(n.in[0], o), int_at(low, 0)), int_at(high, 0)));
    }
  }
}

constexpr Entry kChoiceEntries[] = {{Op::kSELECT, select}, {Op::kCLAMP, clamp}};

}  // namespace

std::span<const Entry> choices() { return kChoiceEntries; }

}  // namespace macaw::test::naive
