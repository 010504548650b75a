#include "workflow/sequence/score.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/checked.hpp"

// Scores of classes: outputs and classes of every form that a network and a file can have.
using namespace macaw;
using macaw::test::checked;

namespace {

sequence::Wiring wiring(std::optional<Shape> output, const Shape& classes_shape,
                        const std::vector<std::int32_t>& classes, DType dtype = DType::kFP32) {
  sequence::Wiring wiring;
  wiring.outputs.push_back({{.name = "logits", .dtype = dtype, .shape = std::move(output)}});
  wiring.scored = 0;
  wiring.classes = Tensor(DType::kINT32, classes_shape);
  std::ranges::copy(classes, wiring.classes.data<std::int32_t>().begin());
  wiring.targets = "targets.npy";
  return wiring;
}

Tensor logits(const Shape& shape, const std::vector<float>& values) {
  Tensor tensor(DType::kFP32, shape);
  std::ranges::copy(values, tensor.data<float>().begin());
  return tensor;
}

std::string refusal(const sequence::Wiring& wiring) {
  const auto score = sequence::Score::create(wiring);
  return score ? "accepted" : score.error().to_string();
}

}  // namespace

TEST_CASE("the score of a step is that of its class, and negative classes are not counted") {
  auto score = checked(sequence::Score::create(wiring(Shape{1, 2}, {3, 1}, {1, -1, 0})));
  const float odds = std::log(3.0F);
  CHECK(score.steps() == 3);
  CHECK(score.add(0, logits({1, 2}, {0, odds})));
  CHECK(score.add(1, logits({1, 2}, {0, 0})));
  CHECK(score.add(2, logits({1, 2}, {0, odds})));
  const auto result = checked(score.result());
  CHECK(result.classes == 2);
  CHECK(result.top1 == 1);
  CHECK(result.perplexity == Approx(std::sqrt(4.0 / 3 * 4)));
  CHECK(npu::to_string(result) == "negative log-likelihood 0.8370, perplexity 2.309, top-1 50.00 % (1 of 2)");
}

TEST_CASE("a score of which no class is counted is an error, before the run and after an early end") {
  CHECK(refusal(wiring(Shape{1, 2}, {2, 1}, {-1, -7})) ==
        "targets.npy: all classes of the steps are negative, so none is counted");
  auto score = checked(sequence::Score::create(wiring(Shape{1, 2}, {2, 1}, {-1, 1})));
  CHECK(score.add(0, logits({1, 2}, {0, 1})));
  CHECK(score.result().error().code == ErrorCode::kMismatch);
}

TEST_CASE("outputs without elements or of unknown shape have no score") {
  for (const auto& shape : {Shape{0, 2}, Shape{1, 0}, Shape{}, Shape{-1, 2}})
    CHECK_THAT(refusal(wiring(shape, {1}, {0})), Catch::Contains("must have a known shape with elements"));
  CHECK_THAT(refusal(wiring(std::nullopt, {1}, {0})), Catch::Contains("must have a known shape with elements"));
  CHECK_THAT(refusal(wiring(Shape{1, 2}, {0}, {})), Catch::Contains("expected the steps along the first axis"));
  CHECK_THAT(refusal(wiring(Shape{3, 2}, {2}, {0, 0})), Catch::Contains("3 classes for each"));
}

TEST_CASE("a step with an output of another size or a class beyond it is an error") {
  auto score = checked(sequence::Score::create(wiring(Shape{1, 2}, {2, 1}, {1, 2})));
  CHECK_THAT(score.add(0, logits({1, 1}, {0})).error().message, Catch::Contains("has 1 elements, expected 2"));
  CHECK_THAT(score.add(1, logits({1, 2}, {0, 1})).error().message, Catch::Contains("class 2 of step 1"));
  CHECK_THAT(score.add(2, logits({1, 2}, {0, 1})).error().message, Catch::Contains("classes of 2 steps"));
}
