#pragma once
#include <hwy/targets.h>

#include <catch2/catch.hpp>

namespace macaw::tosa {

/// Calls f with each SIMD target in turn as the one that kernels are chosen for.
template <class F>
void for_each_target(F f) {
  const auto targets = hwy::SupportedTargets();
  for (auto rest = targets; rest != 0; rest &= rest - 1) {
    const auto target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    INFO("target " << hwy::TargetName(target));
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
  CHECK(targets != 0);
}

}  // namespace macaw::tosa
