#pragma once
#include "workflow/compare/span.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace macaw::compare {

/// To whom bytes of memory belong, the latest being the only one.
class ByteOwners {
 public:
  struct Part {
    Span span;
    std::size_t owner = 0;
  };

  void set(const Span& span, std::size_t owner);
  void clear(const Span& span);
  /// What of the span somebody owns, in the order of the addresses.
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
