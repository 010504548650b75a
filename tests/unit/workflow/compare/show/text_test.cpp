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

TEST_CASE("each kind of constant is counted by itself, and those that no operator has are not mentioned") {
  compare::Comparison comparison;
  comparison.constants.weights = {.operators = 5, .compared = 1};
  comparison.constants.biases = {.operators = 6, .compared = 2};
  comparison.constants.scales = {.operators = 7, .compared = 3};
  CHECK_THAT(
      compare::coverage_text(comparison),
      Catch::Contains("constants compared: 1 of 5 operators' weights, 2 of 6 operators' biases, 3 of 7 operators' "
                      "scales\n"));
  comparison.constants = {};
  comparison.constants.tables = {.operators = 1, .compared = 1};
  CHECK_THAT(compare::coverage_text(comparison), Catch::Contains("constants compared: 1 of 1 operators' tables\n"));
}

TEST_CASE("what all tensors reached is counted, and the entries that were looked up in tables") {
  compare::Comparison comparison;
  auto& exercised = comparison.coverage.exercised;
  exercised[0].low = true;
  exercised[0].lowest = -128;
  exercised[0].highest = 5;
  exercised[1].high = true;
  exercised[1].entries = {1, 2, 3};
  exercised[2].lowest = -2;
  exercised[2].entries = {7};
  exercised[1].table = exercised[2].table = 256;
  CHECK_THAT(
      compare::coverage_text(comparison),
      Catch::Contains("exercised: of 3 tensors 1 reached their lowest value, 1 their highest, 1 had both signs; 4 of "
                      "512 entries of tables were looked up\n"));
}

TEST_CASE("a tensor of which a single element differs is named, one that is equal is not") {
  compare::Comparison comparison;
  compare::ComparedRun run{.inputs = "seed 1", .outputs = {}, .location = {}};
  for (const std::int64_t different : {0, 1})
    run.location.matched.push_back(
        {.name = "t" + std::to_string(different), .method = {}, .commands = 1, .elements = 4, .different = different});
  run.location.wrong.emplace().name = "operator 0 (ADD)";
  const auto text = compare::failure_text(comparison, run);
  CHECK_THAT(text, Catch::Contains("seed 1: tensor 't1': 1 of 4 elements differ\n"));
  CHECK_THAT(text, !Catch::Contains("'t0'"));
}
