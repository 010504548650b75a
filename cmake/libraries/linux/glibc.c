// Symbols of newer releases of glibc that the static C++ library refers to, as it was built against Debian 12's. They stay inside
// of what is linked.
#include <stdint.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32: whether the process has one thread only. 0 is always right.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.36, for std::random_device.
HIDDEN uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getentropy(&value, sizeof value) != 0) __builtin_trap();
  return value;
}
