#include <atomic>
#include <cmath>
#include <limits>

#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/kernels/elementwise/function_block.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"
#include "reference/tosa/op/elementwise/broadcast_rule.hpp"
#include "reference/tosa/op/float_rows.hpp"

namespace macaw::tosa::POW {
namespace {

constexpr Check kBasePositive = found_by_kernel("input1", "input1 must be positive, or zero with a positive input2");

constexpr Check kFinite = found_by_kernel("input1", "input1 and input2 must be finite");

/// Requirements of the specification on operands.
struct Required {
  bool finite, positive;
};
template <class T>
Required check_block(const T* a, const T* b, std::size_t count) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  int finite = 1, positive = 1;  // not bool, so that the loop becomes vectors
  for (std::size_t i = 0; i < count; ++i) {
    finite &= std::fabs(a[i]) < kInfinity;
    finite &= std::fabs(b[i]) < kInfinity;
    positive &= (a[i] > 0) | ((a[i] == 0) & (b[i] > 0));
  }
  return {finite != 0, positive != 0};
}

inline bool has_nan(const float* values, std::size_t count) {
  int found = 0;  // not bool, so that the loop becomes vectors
  for (std::size_t i = 0; i < count; ++i) found |= values[i] != values[i];
  return found != 0;
}

/// The same of encodings.
Required check_encodings(const Call& call, const std::uint16_t* a, const std::uint16_t* b, std::size_t count) {
  std::array<float, kFloatBlock> first, second;
  const auto dtype = call.in(0).dtype();
  decode_floats<float>(dtype, reinterpret_cast<const std::byte*>(a), {first.data(), count});
  decode_floats<float>(dtype, reinterpret_cast<const std::byte*>(b), {second.data(), count});
  return check_block(first.data(), second.data(), count);
}

/// loop(a, b, out, count) for each block, and the checks of operands of those for which it returns true.
template <class T, class Loop>
void compute(Call& call, Loop loop) {
  std::atomic<bool> finite = true, positive = true;
  const auto check = [&](const T* a, const T* b, std::size_t count) {
    if constexpr (std::is_floating_point_v<T>) return best_version<check_block<T>>(call.kernels)(a, b, count);
    else return check_encodings(call, a, b, count);
  };
  for_each_block<T, T, 2>(call, [&](const T* a, const T* b, T* out, std::size_t count) {
    if (!loop(a, b, out, count)) return;
    const auto holds = check(a, b, count);
    if (!holds.finite) finite = false;
    if (!holds.positive) positive = false;
  });
  call.require(finite, kFinite);
  call.require(positive, kBasePositive);
}

struct Pow {
  template <class T>
  static Result<void> run(Call& call) {
    const auto each = [](auto f) {
      return [=](const T* a, const T* b, T* out, std::size_t count) {
        pair_block(a, b, out, count, f);
        return true;
      };
    };
    // chapters/ewise_binary.adoc: the error grows with the exponent of the result.
    const auto bound = [](T a, T b) { return T(7.5) * std::fabs(std::log(std::fabs(a)) * b); };
    if (call.bounds) {
      compute<T>(call, each(bound));
    } else if constexpr (std::is_same_v<T, float>) {
      if (const auto narrow = narrow_power_block(call.in(0).dtype(), call.kernels)) {
        compute<std::uint16_t>(call, narrow);
        return {};
      }
      const auto power = power_block(call.kernels);
      const auto suspect = best_version<has_nan>(call.kernels);  // NaN of others only
      compute<T>(call, [=](const T* a, const T* b, T* out, std::size_t count) {
        power(a, b, out, count);
        return suspect(out, count);
      });
    } else {
      compute<T>(call, each([](T a, T b) { return std::pow(a, b); }));
    }
    return {};
  }
};

constexpr TypeRow kRows[] = {MACAW_FLOAT_ROWS(float_kernel<Pow>)};
constexpr Check kChecks[] = {kBroadcastCheck, kFinite, kBasePositive};

}  // namespace

extern constexpr Definition kDefinition = {Op::kPOW, kBinaryArguments, kInOutType, kRows, kChecks, broadcast_shapes};

}  // namespace macaw::tosa::POW
