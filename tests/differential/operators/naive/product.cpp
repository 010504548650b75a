#include "tests/differential/operators/naive/sum.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Op;

/// MATMUL: B is [N,C,W]; MATMUL_T: [D,W,C].
template <bool kTransposed>
void matmul(Node& n) {
  const auto &a = n.in[0], &b = n.in[1];
  const auto a_zp = zero_point(n.in[2]), b_zp = zero_point(n.in[3]);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    const auto batch = b.shape()[0] == 1 ? 0 : at[0];
    Sum sum(n.out[0].dtype());
    for (std::int64_t c = 0; c < a.shape()[2]; ++c) {
      const Shape from = kTransposed ? Shape{batch, at[2], c} : Shape{batch, c, at[2]};
      sum.add_product(a, offset(a.shape(), {at[0], at[1], c}), a_zp, b, offset(b.shape(), from), b_zp);
    }
    sum.put(n.out[0], o);
  }
}

constexpr Entry kProductEntries[] = {{Op::kMATMUL, matmul<false>}, {Op::kMATMUL_T, matmul<true>}};

}  // namespace

std::span<const Entry> products() { return kProductEntries; }

}  // namespace macaw::test::naive
