
#include <cmath>

#include "reference/tosa/kernels/gemm/float_gemm.hpp"
#include "tests/unit/reference/tosa/op/harness.hpp"
#include "tests/unit/reference/tosa/op/targets.hpp"

namespace macaw::tosa {
namespace {

template <class T>
void compare(Random& random, std::size_t rows, std::size_t k, std::size_t n) {
  std::uniform_real_distribution<T> any(-1, 1);
  std::uniform_int_distribution<int> exponent(-12, 12);
  const auto value = [&] { return std::ldexp(any(random), exponent(random)); };
  const auto stride = k + static_cast<std::size_t>(pick(random, 0, 3));
  std::vector<T> a(rows * stride + 1);
  for (auto& x : a) x = value();
  FloatPanels<T> b(k, n);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j) b.at(i, j) = value();
  std::vector<T> fast(rows * b.columns(), 77), scalar = fast;
  const FloatRows<T> left{a.data(), rows, stride};
  float_gemm(left, b, fast.data());
  float_gemm_scalar(left, b, scalar.data());
  CHECK(fast == scalar);
}

}  // namespace

TEST_CASE("the floating-point kernels of every SIMD target give the bits of the scalar product") {
  Random random(1);
  for_each_target([&] {
    for (int i = 0; i < 30; ++i) {
      const auto m = static_cast<std::size_t>(pick(random, 1, 40)), n = static_cast<std::size_t>(pick(random, 1, 50));
      const auto k = static_cast<std::size_t>(pick(random, i == 0 ? 0 : 1, i % 8 == 0 ? 1400 : 60));
      compare<float>(random, m, k, n);
      compare<double>(random, m, k, n);
    }
  });
}

}  // namespace macaw::tosa
