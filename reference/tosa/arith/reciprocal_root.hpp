#pragma once
#include <cmath>
#include <limits>

namespace macaw::tosa {

/// 1 / sqrt(x) for a value of float precision, to within 2^-42: the estimate in float, and a step of Newton's method,
/// which doubles the number of correct bits.
[[nodiscard]] inline double reciprocal_root(double x) {
  const double start = 1 / std::sqrt(static_cast<float>(x));
  const double root = start + start * (0.5 - 0.5 * (x * start * start));
  // Zeros and infinities are final.
  return x > 0 && x < std::numeric_limits<double>::infinity() ? root : start;
}

}  // namespace macaw::tosa
