#include "app/memory_limit.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace macaw::app {
namespace {

std::uint64_t limit_in_force = 0;

#ifdef __GLIBC__
constexpr std::size_t kHeap = std::size_t{31} << 20, kLargePage = std::size_t{2} << 20;

bool is_unlimited(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

void ask_for_large_pages() {
  if (!is_unlimited(RLIMIT_AS) || !is_unlimited(RLIMIT_DATA)) return;
  void* const block = std::malloc(kHeap);
  void* begin = block;
  auto size = kHeap;
  if (std::align(kLargePage, kLargePage, begin, size)) (void)::madvise(begin, size, MADV_HUGEPAGE);
  std::free(block);
}
#endif

}  // namespace

void prepare_heap() {
  // SystemC's memory pool does not check allocations; without the pool a failed allocation throws.
  ::setenv("SYSTEMC_MEMPOOL_DONT_USE", "1", 0);
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  ::mallopt(M_TRIM_THRESHOLD, 128 << 20);
  ask_for_large_pages();
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
#ifdef __GLIBC__
  if (bytes < 4 * kHeap) ::malloc_trim(0);
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  // Linux interprets a limit of 0 as no limit.
  limit.rlim_cur = std::min<rlim_t>(std::max<rlim_t>(bytes, 1), limit.rlim_max);
  (void)::setrlimit(RLIMIT_DATA, &limit);
#endif
}

}  // namespace macaw::app
