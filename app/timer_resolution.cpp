#include <cstdint>

#include <hwy/nanobenchmark.h>

namespace hwy::platform {

// libhwy.so calls this function when it is loaded, to measure the resolution of a timer that only its benchmarks use;
// its own version takes milliseconds. The program's definition takes precedence and measures nothing.
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
