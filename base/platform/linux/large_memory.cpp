#include "base/large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <vector>

namespace macaw {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t size) { return (size + kPage - 1) / kPage * kPage; }

/// Null: there are no more. No huge pages are asked for: where a hypervisor takes free ones back, getting one takes as
/// long as computing what it is for.
std::byte* map_pages(std::size_t size) {
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

class LargeMemory {
 public:
  LargeMemory() { free_.reserve(kMostRanges); }

  std::byte* allocate(std::size_t size) {
    const std::lock_guard lock(mutex_);
    auto* block = take(size);
    if (!block) {
      most_used_ = std::max(most_used_, used_ + size);
      release(most_used_ - (used_ + size));
      block = map_pages(size);
      if (!block && kept_ > 0) {
        release(0);
        block = map_pages(size);
      }
      if (!block) return nullptr;
    }
    used_ += size;
    most_used_ = std::max(most_used_, used_);
    return block;
  }

  void free(std::byte* block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    used_ -= size;
    keep(block, size);
    if (keepers_ == 0) release(0);
  }

  void add_keepers(int change) {
    const std::lock_guard lock(mutex_);
    keepers_ += change;
    if (keepers_ > 0) return;
    release(0);
    most_used_ = used_;
  }

 private:
  struct Range {
    std::byte* begin;
    std::size_t size;

    [[nodiscard]] std::byte* end() const { return begin + size; }
  };

  // More are given back, so that freeing takes no memory itself.
  static constexpr std::size_t kMostRanges = 256;

  /// The beginning of the smallest range that is large enough, or null.
  std::byte* take(std::size_t size) {
    auto best = free_.end();
    for (auto range = free_.begin(); range != free_.end(); ++range)
      if (range->size >= size && (best == free_.end() || range->size < best->size)) best = range;
    if (best == free_.end()) return nullptr;
    auto* const begin = best->begin;
    kept_ -= size;
    best->begin += size;
    best->size -= size;
    if (best->size == 0) free_.erase(best);
    return begin;
  }

  void keep(std::byte* begin, std::size_t size) {
    if (size == 0) return;
    kept_ += size;
    const auto next = std::ranges::lower_bound(free_, begin, {}, &Range::begin);
    const bool joins_next = next != free_.end() && begin + size == next->begin;
    if (next != free_.begin() && std::prev(next)->end() == begin) {
      std::prev(next)->size += size;
      if (!joins_next) return;
      std::prev(next)->size += next->size;
      free_.erase(next);
    } else if (joins_next) {
      next->begin = begin;
      next->size += size;
    } else if (free_.size() < kMostRanges) {
      free_.insert(next, {begin, size});
    } else {
      kept_ -= size;
      ::munmap(begin, size);
    }
  }

  /// Gives back the largest ranges until at most `most` bytes are kept.
  void release(std::size_t most) {
    while (kept_ > most) {
      const auto largest = std::ranges::max_element(free_, {}, &Range::size);
      ::munmap(largest->begin, largest->size);
      kept_ -= largest->size;
      free_.erase(largest);
    }
  }

  std::mutex mutex_;
  std::vector<Range> free_;  ///< in the order of their addresses
  std::size_t used_ = 0, kept_ = 0, most_used_ = 0;
  int keepers_ = 0;
};

/// Never destroyed: tensors may live as long as the program.
LargeMemory& memory() {
  static auto* const memory = new LargeMemory;
  return *memory;
}

}  // namespace

std::byte* allocate_large(std::size_t size) { return memory().allocate(whole_pages(size)); }
void free_large(std::byte* block, std::size_t size) { memory().free(block, whole_pages(size)); }

void make_pages(void* begin, std::size_t size) {
#ifdef MADV_POPULATE_WRITE
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto skipped = whole_pages(address) - address;
  // A system that does not know this makes the pages as they are written.
  if (size >= skipped + kPage)
    (void)::madvise(static_cast<std::byte*>(begin) + skipped, (size - skipped) / kPage * kPage, MADV_POPULATE_WRITE);
#else
  (void)begin, (void)size;
#endif
}

KeepFreedMemory::KeepFreedMemory() { memory().add_keepers(1); }
KeepFreedMemory::~KeepFreedMemory() { memory().add_keepers(-1); }

}  // namespace macaw
