#include <catch2/catch.hpp>

#include "compiler/compile.hpp"
#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "workflow/compare/match/layer_names.hpp"
#include "workflow/compare/trace/trace.hpp"

// Comparisons and names of layers at the limits of sizes and shapes.
using namespace macaw;
using macaw::test::checked;

namespace {

/// The input clamped to -100 and less than what is given, once for each output.
tosa::Graph clamped(const Shape& shape, const std::vector<int>& most) {
  tosa::test::GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, shape);
  for (const int high : most) {
    const auto out = b.value("out" + std::to_string(b.block.outputs.size()), DType::kINT8, shape);
    auto& op = b.add(tosa::Op::kCLAMP, {x}, {out});
    op.set(tosa::Attr::k_min_val, std::vector{static_cast<std::byte>(-100)});
    op.set(tosa::Attr::k_max_val, std::vector{static_cast<std::byte>(high)});
    op.set(tosa::Attr::k_nan_mode, std::int64_t{1});
    b.output(out);
  }
  return b.graph();
}

npu::Artifact compiled(const tosa::Graph& graph) {
  return npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128"))));
}

Tensor rising(const Shape& shape) {
  Tensor tensor(DType::kINT8, shape);
  for (std::size_t i = 0; i < tensor.bytes().size(); ++i) tensor.bytes()[i] = static_cast<std::byte>(i % 251);
  return tensor;
}

/// Compares a graph with the compiled form of one that clamps each output one lower.
std::vector<compare::Picture> pictures(const Shape& shape, int outputs) {
  std::vector<int> most, lower;
  for (int i = 0; i < outputs; ++i) {
    most.push_back(20 + 2 * i);
    lower.push_back(19 + 2 * i);
  }
  const auto artifact = compiled(clamped(shape, lower));
  compare::Comparison comparison;
  const auto done =
      compare::add_run(comparison, clamped(shape, most), artifact, *artifact.accelerator, "given", {rising(shape)});
  INFO((done ? std::string() : done.error().to_string()));
  REQUIRE(done);
  CHECK_FALSE(comparison.equal());
  return std::move(comparison.runs.front().pictures);
}

/// The shapes that the layers of a graph of one operator are shown with.
std::array<int, 3> layer_shape(const Shape& shape) {
  const auto graph = clamped(shape, {50});
  const auto artifact = compiled(graph);
  const auto trace = checked(compare::trace_program(artifact, *artifact.accelerator, named({rising(shape)}), false));
  std::vector<npu::OperationTiming> operations;
  for (const auto& record : trace.records) {
    npu::OperationTiming operation;
    operation.step = record.step;
    operation.command = record.command;
    operations.push_back(std::move(operation));
  }
  REQUIRE(
      compare::name_operations(operations, compare::Program(graph), artifact, *artifact.accelerator, {rising(shape)}));
  REQUIRE_FALSE(operations.empty());
  CHECK(operations.back().source == "CLAMP 'out0' (operator 0)");
  return operations.back().shape.value();
}

}  // namespace

TEST_CASE("a tensor that differs is shown if it has 2^18 elements at most, of no more than eight") {
  CHECK(pictures({1, 512, 512, 1}, 1).size() == 1);
  CHECK(pictures({1, 1, 37449, 7}, 1).size() == 1);  // one element less
  CHECK(pictures({1, 5, 13, 4033}, 1).empty());      // one element more
  for (const int outputs : {1, 7, 8, 9}) {
    const auto shown = pictures({1, 2, 128, 1}, outputs);
    INFO(outputs);
    REQUIRE(static_cast<int>(shown.size()) == std::min(outputs, 8));
    for (std::size_t i = 0; i < shown.size(); ++i) {
      CHECK(shown[i].tensor == "out" + std::to_string(i));
      CHECK(shown[i].expected.shape() == Shape{1, 2, 128, 1});
      CHECK_FALSE(shown[i].expected == shown[i].actual);
    }
  }
}

TEST_CASE("a layer has the last three extents of its tensor, and 1 where that has fewer") {
  CHECK(layer_shape({5}) == std::array{1, 1, 5});
  CHECK(layer_shape({3, 5}) == std::array{1, 3, 5});
  CHECK(layer_shape({2, 3, 5}) == std::array{2, 3, 5});
  CHECK(layer_shape({1, 2, 3, 5}) == std::array{2, 3, 5});
}
