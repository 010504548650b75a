#include "workflow/compare/comparison.hpp"

#include <catch2/catch.hpp>

using namespace macaw;

TEST_CASE("constants that no command reads are named, ten of them and how many more there are") {
  compare::Comparison comparison;
  comparison.constants.weights = {.operators = 14, .compared = 2};
  for (int i = 0; i < 10; ++i) comparison.constants.not_found.push_back("CONV2D " + std::to_string(i));
  CHECK_THAT(compare::coverage_text(comparison),
             Catch::Contains("those of CONV2D 0, CONV2D 1, ") && Catch::Contains("CONV2D 9\n"));
  comparison.constants.not_found.insert(comparison.constants.not_found.end(), {"TABLE 1", "TABLE 2"});
  CHECK_THAT(compare::coverage_text(comparison), Catch::Contains("CONV2D 9 and 2 more\n"));
}
