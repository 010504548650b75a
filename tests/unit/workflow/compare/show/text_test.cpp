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
  CHECK_THAT(compare::coverage_text(comparison),
             Catch::Contains(
                 "input coverage: of 3 tensors, 1 reach their minimum, 1 their maximum, 1 have both signs; 4 of "
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

TEST_CASE("coverage counts operators that were compared, fused and not found, and names the last") {
  compare::Comparison comparison;
  comparison.reference.operators.resize(4);
  comparison.reference.operators[2].text = "operator 2 (ADD)";
  using enum compare::OperatorCoverage;
  comparison.coverage.operators = {{0, kCompared}, {1, kFused}, {2, kNotFound}, {3, kLeftToCpu}};
  CHECK_THAT(
      compare::coverage_text(comparison),
      Catch::Contains("operators compared: 1 of 4; 1 fused; 1 left to the CPU; 1 not found: operator 2 (ADD)\n"));
}

TEST_CASE("an operator that is not certain is called a candidate") {
  compare::Comparison comparison;
  compare::ComparedRun run{
      .inputs = "seed 1", .outputs = {{.name = "o", .elements = 2, .different = 1, .index = {}}}, .location = {}};
  auto& wrong = run.location.wrong.emplace();
  wrong.name = "operator 0 (ADD)";
  CHECK_THAT(compare::failure_text(comparison, run), Catch::Contains("first wrong: operator 0 (ADD)\n"));
  wrong.candidates = {"operator 0 (ADD)"};
  CHECK_THAT(compare::failure_text(comparison, run), Catch::Contains("first wrong: candidate operator 0 (ADD)\n"));
  wrong.candidates.push_back("operator 1 (SUB)");
  CHECK_THAT(compare::failure_text(comparison, run),
             Catch::Contains("first wrong: one of the candidates operator 0 (ADD), operator 1 (SUB)\n"));
}

TEST_CASE("constants and notes beside equal outputs are listed without a verdict") {
  compare::Comparison comparison;
  comparison.reference.operators.push_back(
      {.kind = "CONV2D", .text = "operator 0 (CONV2D)", .inputs = {}, .outputs = {}});
  comparison.constants.differences.push_back(
      {.what = compare::ConstantDifference::What::kBias, .channel = 3, .expected = 4, .actual = 5});
  compare::ComparedRun run{.inputs = "seed 1", .outputs = {{.name = "o", .elements = 2, .index = {}}}, .location = {}};
  run.location.notes = {"command 7: 12 of the bytes that it writes are never read"};
  comparison.runs = {run, run};
  comparison.tried = 16;
  CHECK(comparison.equal());
  const auto text = compare::to_text(comparison, false);
  CHECK_THAT(text, Catch::Contains("note: command 7: 12 of the bytes that it writes are never read\n"
                                   "note: constant differs, but on no input tried an output: operator 0 (CONV2D): "
                                   "channel 3: bias 4 in the graph, 5 in the stream\n"
                                   "16 more runs on random inputs, because of notes above: all outputs are equal\n"));
  CHECK_THAT(text, !Catch::Contains("constant differs: "));
  comparison.runs[0].outputs[0].different = 1;
  CHECK_THAT(compare::to_text(comparison, false), Catch::Contains("constant differs: operator 0 (CONV2D)"));
}
