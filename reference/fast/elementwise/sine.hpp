#pragma once
#include <cmath>

#include "reference/fast/elementwise/function.hpp"

namespace macaw::tosa {

/// Whether all angles are small enough for elementary::sine(); it computes them anyway.
template <std::uint64_t kQuarters>
bool sine_block(const float* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = stored(static_cast<float>(elementary::sine(in[i], kQuarters)));
  int all = 1;  // not bool, so that the loop becomes vectors
  for (std::size_t i = 0; i < count; ++i) all &= std::fabs(in[i]) <= elementary::kGreatestAngle;
  return all != 0;
}

/// SIN, or COS with one quarter of a turn more. Library and Bound are those of precise and bounds runs.
template <std::uint64_t kQuarters, auto Library, auto Bound>
struct Sine {
  template <class T>
  static Result<void> run(Call& call) {
    if constexpr (std::is_same_v<T, double>) return FloatUnary<Library, Bound>::template run<T>(call);
    else {
      const auto loop = best_version<sine_block<kQuarters>>(call.kernels);
      for_each_function_block(call, [=](const float* in, float* out, std::size_t count) {
        if (loop(in, out, count)) return;
        for (std::size_t i = 0; i < count; ++i)
          if (!(std::fabs(in[i]) <= elementary::kGreatestAngle))
            out[i] = stored(static_cast<float>(elementary::large_sine(in[i], kQuarters)));
      });
      return {};
    }
  }
};

}  // namespace macaw::tosa
