#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

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

/// Maps each byte range to its most recent writer.
class LastWriters {
 public:
  struct Part {
    Span span;
    std::size_t owner = 0;
  };

  void set(const Span& span, std::size_t owner);
  void clear(const Span& span);
  /// The parts of the span that have a writer, in address order.
  [[nodiscard]] std::vector<Part> parts(const Span& span) const;
  [[nodiscard]] std::vector<Part> all() const;

 private:
  struct Run {
    std::uint64_t last = 0;
    std::size_t owner = 0;
  };
  using Runs = std::map<std::uint64_t, Run>;  ///< by their first bytes

  std::map<int, Runs> memories_;
};

}  // namespace macaw::compare
