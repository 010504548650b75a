#include <cstdint>

#include <hwy/nanobenchmark.h>

namespace hwy::platform {

// Whenever libhwy.so is loaded it calls this function to measure the resolution of a timer that only its benchmarks
// read, and its own takes milliseconds. The program's definition is found before that and measures nothing.
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
