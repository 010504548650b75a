#include <limits>

#include "tests/differential/operators/naive/sum.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

/// Calls f(offset) for the input's elements along the axis that make one element of the output.
template <class F>
void for_axis(const Node& n, Shape at, F f) {
  const auto axis = static_cast<std::size_t>(n.attr(Attr::k_axis));
  const auto& shape = n.in[0].shape();
  if (at.size() < shape.size()) at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis]) f(offset(shape, at), at[axis]);
}

void argmax(Node& n) {
  const auto& in = n.in[0];
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    std::int64_t found = 0, best = minimum(DType::kINT64);
    double real = n.ignores_nan() ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
    for_axis(n, index_of(n.out[0].shape(), o), [&](std::int64_t at, std::int64_t i) {
      if (!is_float(in.dtype())) {
        if (int_at(in, at) > best) {
          best = int_at(in, at);
          found = i;
        }
        return;
      }
      const double result = max_of(double_at(in, at), real, n.ignores_nan());
      if (result != real && !(result != result && real != real)) {
        real = result;
        found = i;
      }
    });
    put_int(n.out[0], o, found);
  }
}

template <bool kMaximum>
void extreme(Node& n) {
  const auto& in = n.in[0];
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    std::int64_t best = kMaximum ? minimum(DType::kINT64) : maximum(DType::kINT64);
    using Limits = std::numeric_limits<double>;
    double real = n.ignores_nan() ? Limits::quiet_NaN() : kMaximum ? -Limits::infinity() : Limits::infinity();
    for_axis(n, index_of(n.out[0].shape(), o), [&](std::int64_t at, std::int64_t) {
      if (is_float(in.dtype())) {
        const double value = double_at(in, at);
        real = kMaximum ? max_of(real, value, n.ignores_nan()) : min_of(real, value, n.ignores_nan());
      } else {
        best = kMaximum ? std::max(best, int_at(in, at)) : std::min(best, int_at(in, at));
      }
    });
    if (is_float(in.dtype())) put_double(n.out[0], o, real);
    else put_int(n.out[0], o, best);
  }
}

template <bool kAll>
void logical(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    bool result = kAll;
    for_axis(n, index_of(n.out[0].shape(), o), [&](std::int64_t at, std::int64_t) {
      const bool value = int_at(n.in[0], at) != 0;
      result = kAll ? result && value : result || value;
    });
    put_int(n.out[0], o, result);
  }
}

void product(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    float result = 1;
    for_axis(n, index_of(n.out[0].shape(), o),
             [&](std::int64_t at, std::int64_t) { result = result * float_at(n.in[0], at); });
    put_double(n.out[0], o, result);
  }
}

void sum(Node& n) {
  for (std::int64_t o = 0; o < n.out[0].size(); ++o) {
    Sum total(n.out[0].dtype());
    for_axis(n, index_of(n.out[0].shape(), o), [&](std::int64_t at, std::int64_t) { total.add(n.in[0], at); });
    total.put(n.out[0], o);
  }
}

constexpr Entry kReductionEntries[] = {
    {Op::kARGMAX, argmax},
    {Op::kREDUCE_MAX, extreme<true>},
    {Op::kREDUCE_MIN, extreme<false>},
    {Op::kREDUCE_ALL, logical<true>},
    {Op::kREDUCE_ANY, logical<false>},
    {Op::kREDUCE_PRODUCT, product},
    {Op::kREDUCE_SUM, sum},
};

}  // namespace

std::span<const Entry> reductions() { return kReductionEntries; }

}  // namespace macaw::test::naive
