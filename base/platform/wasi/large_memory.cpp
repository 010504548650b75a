#include "base/large_memory.hpp"

#include <algorithm>
#include <cstdlib>

namespace macaw {
namespace {

constexpr std::size_t kPageSize = 4096;

}  // namespace

// The memory of a module is one array that only grows: the heap keeps what is freed, and nothing is unmapped.
std::byte* allocate_large(std::size_t size) {
  constexpr std::size_t kMost = static_cast<std::size_t>(-1) - kPageSize;
  if (size > kMost) return nullptr;
  const auto rounded = (std::max<std::size_t>(size, 1) + kPageSize - 1) / kPageSize * kPageSize;
  return static_cast<std::byte*>(std::aligned_alloc(kPageSize, rounded));
}
void free_large(std::byte* block, std::size_t) { std::free(block); }

void make_pages(void*, std::size_t) {}

KeepFreedMemory::KeepFreedMemory() = default;
KeepFreedMemory::~KeepFreedMemory() = default;

}  // namespace macaw
