#include "app/memory_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace macaw::app {
namespace {

constexpr std::uint64_t kPage = 65536;
// The address space of a module without its last page, since the end of the memory must be a valid address.
constexpr std::uint64_t kMost = (std::uint64_t{4} << 30) - kPage;

std::uint64_t limit_in_force = kMost;

}  // namespace

// SystemC's memory pool does not check allocations; without the pool a failed allocation throws.
void prepare_heap() { ::setenv("SYSTEMC_MEMPOOL_DONT_USE", "1", 0); }

std::uint64_t default_memory_limit() { return std::uint64_t{2} << 30; }

std::uint64_t memory_limit() { return limit_in_force; }

void limit_memory(std::uint64_t bytes) { limit_in_force = std::min(bytes, kMost); }

}  // namespace macaw::app

/// The heap's only source of memory (wasi-libc's sbrk), with the limit: whole pages of 64 KiB, or 0 for the present
/// end.
extern "C" void* sbrk(std::intptr_t increment) {
  using macaw::app::kPage;
  const std::uint64_t pages = __builtin_wasm_memory_size(0);
  if (increment == 0) return reinterpret_cast<void*>(static_cast<std::uintptr_t>(pages * kPage));
  const auto grow = static_cast<std::uint64_t>(static_cast<std::uintptr_t>(increment));
  if (increment < 0 || grow % kPage != 0) std::abort();
  const bool allowed = (pages * kPage) + grow <= macaw::app::limit_in_force;
  const auto before = allowed ? __builtin_wasm_memory_grow(0, static_cast<std::size_t>(grow / kPage)) : SIZE_MAX;
  if (before == SIZE_MAX) {
    errno = ENOMEM;
    return reinterpret_cast<void*>(-1);
  }
  return reinterpret_cast<void*>(before * kPage);
}
