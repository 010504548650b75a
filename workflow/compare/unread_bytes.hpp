#pragma once
#include "workflow/compare/span.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace macaw::compare {

/// Bytes that were written and are neither read nor overwritten until the end. Gaps between the rows of a map that is
/// read count as read.
class UnreadBytes {
 public:
  void read(const Span& span);
  void write(const Span& span, std::size_t record);
  /// What is left of each of `records` operations.
  [[nodiscard]] std::vector<std::uint64_t> left(std::size_t records) const;

 private:
  struct Part {
    Span span;
    std::size_t record = 0;
  };

  std::vector<Part> open_;
};

}  // namespace macaw::compare
