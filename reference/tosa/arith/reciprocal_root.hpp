#pragma once
#include <cmath>
#include <limits>

namespace macaw::tosa {

/// 1 / sqrt(x) of what a float holds, to within 2^-42: that of float, and a step of Newton's method, which doubles its
/// bits.
[[nodiscard]] inline double reciprocal_root(double x) {
  const double start = 1 / std::sqrt(static_cast<float>(x));
  const double root = start + start * (0.5 - 0.5 * (x * start * start));
  // Zeros and infinities are final.
  return x > 0 && x < std::numeric_limits<double>::infinity() ? root : start;
}

}  // namespace macaw::tosa
