#include "app/stack_limit.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>

namespace macaw::app {
namespace {

constexpr rlim_t kWanted = rlim_t{8} << 20, kLeast = rlim_t{512} << 10;

/// Threads use the limit at the start of the process, and no code requests a larger one.
bool enlarge_threads() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool done =
      pthread_attr_setstacksize(&attributes, kWanted) == 0 && pthread_setattr_default_np(&attributes) == 0;
  pthread_attr_destroy(&attributes);
  return done;
}

}  // namespace

bool ensure_stack() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kWanted) return true;
  limit.rlim_cur = std::min(kWanted, limit.rlim_max);
  return limit.rlim_cur >= kLeast && ::setrlimit(RLIMIT_STACK, &limit) == 0 && enlarge_threads();
}

}  // namespace macaw::app
