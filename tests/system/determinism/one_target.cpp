// Lets Highway see the targets of the mask MACAW_TARGETS only, for LD_PRELOAD.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

namespace hwy {

std::int64_t SupportedTargets();

std::int64_t SupportedTargets() {
  // HWY_EMU128 and HWY_SCALAR: plain loops.
  constexpr std::int64_t kAlways = std::int64_t{3} << 61;
  using Function = std::int64_t (*)();
  const auto all = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "_ZN3hwy16SupportedTargetsEv"))();
  const char* mask = std::getenv("MACAW_TARGETS");
  return mask == nullptr ? all : (all & std::strtoll(mask, nullptr, 0)) | (all & kAlways);
}

}  // namespace hwy
