#include <macaw/shape_fit.hpp>

#include <catch2/catch.hpp>

using macaw::same_arrangement;

TEST_CASE("extents of 1 and flattened dimensions are one arrangement, others are not") {
  CHECK(same_arrangement({1, 32, 32, 3}, {32, 32, 3}));
  CHECK(same_arrangement({32, 32, 3}, {32, 1, 32, 3, 1}));
  CHECK(same_arrangement({3072}, {1, 32, 32, 3}));
  CHECK(same_arrangement({1, 32, 32, 3}, {32, 96}));
  CHECK(same_arrangement({}, {1, 1}));
  CHECK(same_arrangement({0, 4}, {2, 0}));
  CHECK_FALSE(same_arrangement({1, 3, 32, 32}, {1, 32, 32, 3}));
  CHECK_FALSE(same_arrangement({2, 12}, {4, 6}));
  CHECK_FALSE(same_arrangement({6, 4}, {4, 6}));
  CHECK_FALSE(same_arrangement({4}, {5}));
}
