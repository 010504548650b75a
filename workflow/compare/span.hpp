#pragma once
#include <cstdint>

namespace macaw::compare {

/// Bytes of a memory of the artifact, ends included.
struct Span {
  int memory = -1;
  std::uint64_t first = 0, last = 0;
  bool operator==(const Span&) const = default;
  [[nodiscard]] bool overlaps(const Span& other) const {
    return memory >= 0 && memory == other.memory && first <= other.last && other.first <= last;
  }
};

}  // namespace macaw::compare
