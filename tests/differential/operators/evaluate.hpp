#pragma once
#include <optional>

#include "tests/cases/case.hpp"

namespace macaw::test {

/// What the naive operator makes of a case; nothing if a REQUIRE does not hold.
[[nodiscard]] std::optional<std::vector<Tensor>> evaluate(const Case& c);

/// Whether there is a naive operator (or nothing to compute).
[[nodiscard]] bool has_naive(tosa::Op op);

}  // namespace macaw::test
