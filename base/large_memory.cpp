#include "base/large_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <vector>

namespace macaw {
namespace {

constexpr std::size_t kPage = 4096, kHugePage = std::size_t{1} << 21;

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

/// Null: there are no more.
void* map(std::size_t size) {
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

/// `size` bytes at a multiple of a huge page, or anywhere if there is no room around them; or null.
std::byte* map_pages(std::size_t size) {
  const auto all = size + kHugePage - kPage;
  void* mapped = map(all);
  if (!mapped) return static_cast<std::byte*>(map(size));
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const auto before = round_up(address, kHugePage) - address, behind = all - before - size;
  auto* const first = static_cast<std::byte*>(mapped);
  if (before > 0) ::munmap(first, before);
  if (behind > 0) ::munmap(first + before + size, behind);
  (void)::madvise(first + before, size, MADV_HUGEPAGE);
  return first + before;
}

class LargeMemory {
 public:
  LargeMemory() { free_.reserve(kMostRanges); }

  std::byte* allocate(std::size_t size) {
    const std::lock_guard lock(mutex_);
    auto* block = take(size);
    if (!block) {
      auto mapped = keepers_ > 0 ? round_up(size, kHugePage) : size;
      most_used_ = std::max(most_used_, used_ + mapped);
      release(most_used_ - (used_ + mapped));
      block = map_pages(mapped);
      if (!block) {
        release(0);
        mapped = size;
        block = map_pages(mapped);
      }
      if (!block) return nullptr;
      keep(block + size, mapped - size);
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

std::byte* allocate_large(std::size_t size) { return memory().allocate(round_up(size, kPage)); }
void free_large(std::byte* block, std::size_t size) { memory().free(block, round_up(size, kPage)); }

KeepFreedMemory::KeepFreedMemory() { memory().add_keepers(1); }
KeepFreedMemory::~KeepFreedMemory() { memory().add_keepers(-1); }

}  // namespace macaw
