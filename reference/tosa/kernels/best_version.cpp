#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tosa/kernels/best_version.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tosa/kernels/best_version.hpp"

HWY_BEFORE_NAMESPACE();
namespace macaw::tosa::HWY_NAMESPACE {

LoopLevel level() {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return LoopLevel::kAvx512;
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return LoopLevel::kAvx2;
#else
  return LoopLevel::kAny;
#endif
}

}  // namespace macaw::tosa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macaw::tosa {
namespace {
HWY_EXPORT(level);
}  // namespace

LoopLevel loop_level() { return HWY_DYNAMIC_DISPATCH(level)(); }

}  // namespace macaw::tosa
#endif  // HWY_ONCE
