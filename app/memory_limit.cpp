#include "app/memory_limit.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace macaw::app {
namespace {

std::uint64_t limit_in_force = 0;

}  // namespace

void reuse_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  ::mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

std::uint64_t default_memory_limit() {
  constexpr std::uint64_t kMost = std::uint64_t{4} << 30;
  const auto pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return kMost;
  return std::min(kMost, static_cast<std::uint64_t>(pages) / 4 * 3 * static_cast<std::uint64_t>(size));
}

std::uint64_t memory_limit() { return limit_in_force; }

void limit_memory(std::uint64_t bytes) {
  limit_in_force = bytes;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  (void)::setrlimit(RLIMIT_DATA, &limit);
#endif
}

}  // namespace macaw::app
