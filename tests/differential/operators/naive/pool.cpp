#include <algorithm>
#include <limits>

#include "tests/differential/operators/naive/sum.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

/// One element of a window's kernel, stride or pad; the ADAPTIVE operators have them as their last three inputs.
std::int64_t parameter(const Node& n, Attr attribute, std::size_t i) {
  if (n.op.find(attribute)) return n.attr(attribute, i);
  const std::size_t back = attribute == Attr::k_kernel ? 3 : attribute == Attr::k_stride ? 2 : 1;
  return int_at(n.in[n.in.size() - back], static_cast<std::int64_t>(i));
}

/// Calls f(offset in the input) for the elements of an output's window that are inside the input.
template <class F>
void for_window(const Node& n, const Shape& at, F f) {
  const auto& s = n.in[0].shape();
  for (std::int64_t ky = 0; ky < parameter(n, Attr::k_kernel, 0); ++ky)
    for (std::int64_t kx = 0; kx < parameter(n, Attr::k_kernel, 1); ++kx) {
      const auto y = at[1] * parameter(n, Attr::k_stride, 0) - parameter(n, Attr::k_pad, 0) + ky;
      const auto x = at[2] * parameter(n, Attr::k_stride, 1) - parameter(n, Attr::k_pad, 2) + kx;
      if (y >= 0 && y < s[1] && x >= 0 && x < s[2]) f(offset(s, {at[0], y, x, at[3]}));
    }
}

void max_pool(Node& n) {
  const auto& in = n.in[0];
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    if (is_float(in.dtype())) {
      using Limits = std::numeric_limits<double>;
      double best = n.ignores_nan() ? Limits::quiet_NaN() : -Limits::infinity();
      for_window(n, at, [&](std::int64_t i) { best = max_of(best, double_at(in, i), n.ignores_nan()); });
      put_double(n.out[0], o, best);
    } else {
      auto best = minimum(in.dtype());
      for_window(n, at, [&](std::int64_t i) { best = std::max(best, int_at(in, i)); });
      put_int(n.out[0], o, best);
    }
  }
}

/// reciprocal_scale and apply_scale_32.
std::int64_t scaled_by_reciprocal(std::int64_t value, std::int64_t count) {
  std::int64_t k = 0;
  while ((std::int64_t{1} << k) < count) ++k;
  const auto numerator = ((std::int64_t{1} << 30) + 1) << k;
  return apply_scale_32(value, numerator / count, 30 + k, false);
}

void avg_pool(Node& n) {
  const auto& in = n.in[0];
  const auto in_zp = zero_point(n.in[1]), out_zp = zero_point(n.in[2]);
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    const auto at = index_of(n.out[0].shape(), o);
    Sum sum(DType::kINT32);
    std::int64_t count = 0;
    for_window(n, at, [&](std::int64_t i) {
      sum.add(in, i, in_zp);
      ++count;
    });
    if (is_float(in.dtype())) {
      put_double(n.out[0], o, sum.real() / static_cast<float>(count));
      continue;
    }
    const auto mean = scaled_by_reciprocal(static_cast<std::int64_t>(sum.integer()), count);
    const auto shifted = checked(Wide{mean} + out_zp, DType::kINT32);
    put_int(n.out[0], o, std::clamp(shifted, minimum(in.dtype()), maximum(in.dtype())));
  }
}

constexpr Entry kPoolEntries[] = {
    {Op::kMAX_POOL2D, max_pool},
    {Op::kMAX_POOL2D_ADAPTIVE, max_pool},
    {Op::kAVG_POOL2D, avg_pool},
    {Op::kAVG_POOL2D_ADAPTIVE, avg_pool},
};

}  // namespace

std::span<const Entry> pools() { return kPoolEntries; }

}  // namespace macaw::test::naive
