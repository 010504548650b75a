#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kBasePositive = found_by_kernel("input1", "input1 must be positive, or zero with a positive input2");

constexpr Check kFinite = found_by_kernel("input1", "input1 and input2 must be finite");

template <class T>
bool all_finite(const T* a, const T* b, std::size_t count) {
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) all &= std::isfinite(a[i]) & std::isfinite(b[i]);
  return all;
}

template <class T>
bool all_positive(const T* a, const T* b, std::size_t count) {
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) all &= (a[i] > 0) | ((a[i] == 0) & (b[i] > 0));
  return all;
}

template <class T>
T power(T a, T b) {
  return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
}

// chapters/ewise_binary.adoc: the error grows with the exponent of the result.
template <class T>
T bound(T a, T b) {
  return static_cast<T>(7.5 * std::fabs(std::log(std::fabs(static_cast<double>(a))) * static_cast<double>(b)));
}

struct Pow {
  template <class T>
  static Result<void> run(Call& call) {
    std::atomic<bool> finite = true, positive = true;
    const bool bounds = call.bounds;
    for_each_block<T, T, 2>(call, [&](const T* a, const T* b, T* out, std::size_t count) {
      if (!all_finite(a, b, count)) finite = false;
      if (!all_positive(a, b, count)) positive = false;
      pair_block(a, b, out, count, bounds ? bound<T> : power<T>);
    });
    call.require(finite, kFinite);
    call.require(positive, kBasePositive);
    return {};
  }
};

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(float_kernel<Pow>)};
constexpr Check kChecks[] = {kBroadcastCheck, kFinite, kBasePositive};

}  // namespace

extern constexpr Definition kPOW = {Op::kPOW, kBinaryArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa
