#pragma once
#include <cstdint>

#include <hwy/detect_targets.h>
#include <macaw/tosa/kernels.hpp>

// Plain loops that the compiler makes vectors of, compiled for more than one set of vector instructions. What they
// compute is the same on each: integers, or floating-point operations that IEEE 754 defines and nothing fuses.

namespace macaw::tosa {

#if HWY_ARCH_X86
/// kLoop with everything that it calls, for each set of instructions. Arguments are passed by value, since a loop might
/// write to an object that it reads through a reference.
template <auto kLoop>
struct LoopVersions;
template <class R, class... Arguments, R (*kLoop)(Arguments...)>
struct LoopVersions<kLoop> {
  [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt"), gnu::flatten]] static R avx2(Arguments... arguments) {
    return kLoop(arguments...);
  }
  [[gnu::target("avx2,bmi,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw"), gnu::flatten]] static R avx512(
      Arguments... arguments) {
    return kLoop(arguments...);
  }
};
#endif

/// Sets of vector instructions that loops are compiled for.
enum class LoopLevel : std::uint8_t { kAny, kAvx2, kAvx512 };
/// The version that Highway chooses for this processor.
[[nodiscard]] LoopLevel loop_level();

/// The version of a loop for this processor; for Kernels::kScalar the one that runs everywhere.
template <auto kLoop>
[[nodiscard]] auto best_version([[maybe_unused]] Kernels kernels) {
#if HWY_ARCH_X86
  const auto level = kernels == Kernels::kBest ? loop_level() : LoopLevel::kAny;
  if (level == LoopLevel::kAvx512) return &LoopVersions<kLoop>::avx512;
  if (level == LoopLevel::kAvx2) return &LoopVersions<kLoop>::avx2;
#endif
  return kLoop;
}

}  // namespace macaw::tosa
