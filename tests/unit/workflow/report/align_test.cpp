#include <catch2/catch.hpp>

#include "workflow/report/forms/align.hpp"

using macaw::report::align;
using macaw::report::Aligned;

TEST_CASE("what was added or removed moves nothing else") {
  const auto none = std::nullopt;
  CHECK(align({"a", "b", "c"}, {"a", "b", "c"}) == Aligned{{0, 0}, {1, 1}, {2, 2}});
  CHECK(align({"a", "b", "c"}, {"a", "x", "b", "c"}) == Aligned{{0, 0}, {none, 1}, {1, 2}, {2, 3}});
  CHECK(align({"a", "b", "c"}, {"a", "c"}) == Aligned{{0, 0}, {1, none}, {2, 1}});
  CHECK(align({}, {"a"}) == Aligned{{none, 0}});
  CHECK(align({"a"}, {}) == Aligned{{0, none}});
  // An end that both have is the same, whatever is called so before it.
  CHECK(align({"b", "a"}, {"a", "c", "a"}) == Aligned{{none, 0}, {none, 1}, {0, none}, {1, 2}});
  CHECK(align({"conv", "conv", "pool"}, {"conv", "conv", "conv", "pool"}).size() == 4);
}

TEST_CASE("names that changed places are found") {
  const auto aligned = align({"a", "b", "c", "d"}, {"c", "a", "b", "d"});
  CHECK(aligned.size() == 4);
  for (const auto& [then, now] : aligned) CHECK((then && now));
}
