#include <cmath>

#include "reference/op/elementwise/arguments.hpp"
#include "reference/op/elementwise/float.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kBasePositive = found_by_kernel("input1", "input1 must be positive, or zero with a positive input2");

constexpr Check kFinite = found_by_kernel("input1", "input1 and input2 must be finite");

struct Pow {
  template <class T>
  static Result<void> run(Call& call) {
    const FloatInput<T> a(call.in(0)), b(call.in(1));
    FloatOutput<T> out(call.out(0));
    std::atomic<bool> positive = true, finite = true;
    broadcast_pair(call, a.data(), b.data(), out.data(), [&](T x, T y) {
      if (!std::isfinite(x) || !std::isfinite(y)) finite = false;
      if (!(x > 0 || (x == 0 && y > 0))) positive = false;
      const double base = x, exponent = y;
      // chapters/ewise_binary.adoc: the error grows with the exponent of the result.
      if (call.bounds) return static_cast<T>(7.5 * std::fabs(std::log(std::fabs(base)) * exponent));
      return static_cast<T>(std::pow(base, exponent));
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
