#include "workflow/compare/judge/coverage.hpp"

#include <catch2/catch.hpp>

// Reported input coverage of a comparison's runs.
using namespace macaw;
using namespace macaw::compare;

namespace {

template <class T>
Tensor tensor(DType dtype, const std::vector<T>& values) {
  Tensor made(dtype, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, made.data<T>().begin());
  return made;
}

/// The exercise of a tensor that an operator with such bounds made.
template <class T>
Exercise exercise(DType dtype, const std::vector<T>& values,
                  std::optional<std::pair<std::int64_t, std::int64_t>> bounds = {}) {
  Reference reference;
  reference.tensors.push_back({.name = "y", .value = tensor(dtype, values)});
  reference.operators.push_back(
      {.kind = "CLAMP", .text = "operator 0 (CLAMP)", .inputs = {}, .outputs = {0}, .bounds = bounds});
  Coverage coverage;
  coverage.add(reference, {.wrong = {}, .matched = {{.id = 0, .name = "y"}}, .unmatched = {}});
  return coverage.exercised.at(0);
}

/// Entries that values select in a table.
template <class T>
Exercise looked_up(DType dtype, const std::vector<T>& indices) {
  Reference reference;
  reference.tensors.push_back({.name = "x", .value = tensor(dtype, indices)});
  reference.tensors.push_back({.name = "y", .value = tensor<std::int8_t>(DType::kINT8, {1})});
  reference.operators.push_back({.kind = "TABLE", .text = "operator 0 (TABLE)", .inputs = {0}, .outputs = {1}});
  Coverage coverage;
  coverage.add(reference, {.wrong = {}, .matched = {{.id = 1, .name = "y"}}, .unmatched = {}});
  return coverage.exercised.at(1);
}

}  // namespace

TEST_CASE("limits are reached at the lowest and highest value of type or operator, not beside them") {
  using Bytes = std::vector<std::int8_t>;
  const auto reached = [](const Exercise& of) { return std::pair(of.low, of.high); };
  CHECK(reached(exercise(DType::kINT8, Bytes{-128, 127})) == std::pair(true, true));
  CHECK(reached(exercise(DType::kINT8, Bytes{-127, 126})) == std::pair(false, false));
  CHECK(reached(exercise(DType::kUINT8, std::vector<std::uint8_t>{1, 255})) == std::pair(false, true));
  CHECK(reached(exercise(DType::kUINT8, std::vector<std::uint8_t>{0, 254})) == std::pair(true, false));
  CHECK(reached(exercise(DType::kINT16, std::vector<std::int16_t>{-32768, 32766})) == std::pair(true, false));
  CHECK(reached(exercise(DType::kINT8, Bytes{-5, 6}, std::pair<std::int64_t, std::int64_t>(-5, 7))) ==
        std::pair(true, false));
}

TEST_CASE("a table of bytes has an entry for each, one of words one for 128 of them") {
  const auto bytes = looked_up(DType::kINT8, std::vector<std::int8_t>{-128, 0, 1, 127});
  CHECK(bytes.table == 256);
  CHECK(bytes.entries == std::set<std::int64_t>{-128, 0, 1, 127});
  const auto words = looked_up(DType::kINT16, std::vector<std::int16_t>{-32768, -1, 0, 127, 128, 32767});
  CHECK(words.table == 512);
  CHECK(words.entries == std::set<std::int64_t>{-256, -1, 0, 1, 255});
}

TEST_CASE("a tensor is not compared if it is in no run") {
  Reference reference;
  for (const char* name : {"x", "y"})
    reference.tensors.push_back({.name = name, .value = tensor<std::int8_t>(DType::kINT8, {1})});
  Coverage coverage;
  coverage.add(reference, {.wrong = {}, .matched = {}, .unmatched = {{0, "x", "why"}, {1, "y", "why"}}});
  coverage.add(reference, {.wrong = {}, .matched = {{.id = 0, .name = "x"}}, .unmatched = {{1, "y", "why"}}});
  coverage.add(reference, {.wrong = {}, .matched = {}, .unmatched = {{0, "x", "why"}, {1, "y", "why"}}});
  CHECK(coverage.compared.size() == 1);
  REQUIRE(coverage.not_compared.size() == 1);
  CHECK(coverage.not_compared.contains(1));
}

TEST_CASE("an operator that was not found in any run is not compared, and one that is fused is neither") {
  Reference reference;
  for (const char* name : {"a", "b", "c", "d", "constant"})
    reference.tensors.push_back({.name = name, .value = tensor<std::int8_t>(DType::kINT8, {1})});
  reference.tensors[4].constant = true;
  for (TensorId i = 0; i < 5; ++i)
    reference.operators.push_back(
        {.kind = "ADD", .text = "operator " + std::to_string(i), .inputs = {}, .outputs = {i}});
  Coverage coverage;
  coverage.add(reference, {.wrong = {},
                           .matched = {{.id = 0, .name = "a"}},
                           .unmatched = {{1, "b", kComputedInside}, {2, "c", kOtherForm}, {3, "d", kLeftToCpu}}});
  using Numbers = std::vector<std::size_t>;
  CHECK(coverage.operators_that_are(OperatorCoverage::kCompared) == Numbers{0});
  CHECK(coverage.operators_that_are(OperatorCoverage::kFused) == Numbers{1});
  CHECK(coverage.operators_that_are(OperatorCoverage::kNotFound) == Numbers{2});
  CHECK(coverage.operators_that_are(OperatorCoverage::kLeftToCpu) == Numbers{3});
  coverage.add(reference, {.wrong = {}, .matched = {{.id = 2, .name = "c"}}, .unmatched = {{0, "a", kOtherForm}}});
  CHECK(coverage.operators_that_are(OperatorCoverage::kCompared) == Numbers{0, 2});
  CHECK(coverage.operators_that_are(OperatorCoverage::kNotFound).empty());
}

TEST_CASE("an operator of which nothing is known is not compared, and one of several results is if one of them is") {
  Reference reference;
  for (const char* name : {"a", "b", "c", "constant"})
    reference.tensors.push_back({.name = name, .value = tensor<std::int8_t>(DType::kINT8, {1})});
  reference.tensors[3].constant = true;
  const auto add = [&](std::vector<TensorId> outputs) {
    reference.operators.push_back({.kind = "SPLIT", .text = "", .inputs = {}, .outputs = std::move(outputs)});
  };
  add({0, 1});
  add({2});
  add({3});
  add({3, 2});
  Coverage coverage;
  coverage.add(reference, {.wrong = {}, .matched = {{.id = 1, .name = "b"}}, .unmatched = {{0, "a", kOtherForm}}});
  using Numbers = std::vector<std::size_t>;
  CHECK(coverage.operators.size() == 3);
  CHECK(coverage.operators_that_are(OperatorCoverage::kCompared) == Numbers{0});
  CHECK(coverage.operators_that_are(OperatorCoverage::kNotFound) == Numbers{1, 3});
}
