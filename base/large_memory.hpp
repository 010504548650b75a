#pragma once
#include <cstddef>

namespace macaw {

/// Blocks of memory of at least this size are worth pages of their own.
inline constexpr std::size_t kLargeMemory = std::size_t{1} << 18;

/// Memory of any contents that begins with a page; null if there is none.
[[nodiscard]] std::byte* allocate_large(std::size_t size);
void free_large(std::byte* block, std::size_t size);

/// Has the system make the pages that lie wholly in memory that is about to be written: all at once they take it a
/// third less time than one by one.
void make_pages(void* begin, std::size_t size);

/// As long as one of these exists, freed memory is kept for later allocations, so that the system does not clear pages
/// for each of them. Kept and used memory together never exceed the highest use so far.
class KeepFreedMemory {
 public:
  KeepFreedMemory();
  ~KeepFreedMemory();
  KeepFreedMemory(const KeepFreedMemory&) = delete;
  KeepFreedMemory& operator=(const KeepFreedMemory&) = delete;
};

}  // namespace macaw
