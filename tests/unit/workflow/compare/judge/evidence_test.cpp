#include "workflow/compare/judge/evidence.hpp"
#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"
#include "workflow/compare/comparison.hpp"

#include <catch2/catch.hpp>

#include <array>

// Which differences inside a network are evidence that it was compiled wrongly.
using namespace macaw;
using namespace macaw::compare;
using test::checked;

namespace {

void clamp(tosa::test::GraphBuilder& b, tosa::ValueId in, tosa::ValueId out, int low, int high) {
  auto& op = b.add(tosa::Op::kCLAMP, {in}, {out});
  op.set(tosa::Attr::k_min_val, std::vector{static_cast<std::byte>(low)});
  op.set(tosa::Attr::k_max_val, std::vector{static_cast<std::byte>(high)});
  op.set(tosa::Attr::k_nan_mode, std::int64_t{1});
}

/// x clamped to -100 to 100 is y, y clamped to 0 to 50 is the output.
struct Clamps {
  tosa::Graph graph = [] {
    tosa::test::GraphBuilder b;
    const auto x = b.input("x", DType::kINT8, {4}), y = b.value("y", DType::kINT8, {4}),
               out = b.value("out", DType::kINT8, {4});
    clamp(b, x, y, -100, 100);
    clamp(b, y, out, 0, 50);
    b.output(out);
    return b.graph();
  }();
  Program program{graph};
  std::vector<Tensor> inputs{tosa::test::tensor<std::int8_t>(DType::kINT8, {4}, {-120, -5, 20, 90})};
  Reference reference = checked(program.reference(inputs));
  std::vector<Tensor> outputs{*reference.tensors[reference.outputs[0]].value};

  /// That the NPU wrote these values for y.
  [[nodiscard]] WrongOperator written(std::array<int, 4> values) const {
    WrongOperator wrong;
    wrong.id = reference.find("y");
    for (const int v : values) wrong.contents.push_back(static_cast<std::byte>(v));
    describe_difference(wrong, *reference.tensors[*wrong.id].value, wrong.contents);
    wrong.reads_right = wrong.reads_in_order = wrong.read_as_tensor = true;
    return wrong;
  }
};

}  // namespace

TEST_CASE("an inner difference beside right outputs is evidence if it is hidden by what follows") {
  const Clamps net;
  const Evidence evidence(net.program, net.inputs, net.reference, net.outputs);
  auto wrong = net.written({-100, -6, 20, 90});  // -5 and -6 are both clamped to 0
  CHECK(wrong.different == 1);
  CHECK(evidence.doubt(wrong).empty());
  wrong.reads_right = false;
  CHECK(evidence.doubt(wrong) == "the commands may be steps on the way to it");
  wrong.reads_right = true;
  wrong.read_as_tensor = false;
  CHECK(evidence.doubt(wrong) == "the commands may be steps on the way to it");
  wrong.id.reset();
  CHECK(evidence.doubt(wrong) == "what was written is not the tensor as a whole");
}

TEST_CASE("what would give other outputs than the network did is something else than the tensor") {
  const Clamps net;
  const Evidence evidence(net.program, net.inputs, net.reference, net.outputs);
  CHECK(evidence.doubt(net.written({-100, -5, 21, 90})) == "the commands write something else than this tensor");
}

TEST_CASE("elements that no output depends on are not evidence") {
  tosa::test::GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {4}), y = b.value("y", DType::kINT8, {4}),
             start = b.constant("start", tosa::test::shape_tensor({1})),
             size = b.constant("size", tosa::test::shape_tensor({3})), out = b.value("out", DType::kINT8, {3});
  clamp(b, x, y, -100, 100);
  b.add(tosa::Op::kSLICE, {y, start, size}, {out});
  b.output(out);
  const auto graph = b.graph();
  const Program program(graph);
  const std::vector<Tensor> inputs{tosa::test::tensor<std::int8_t>(DType::kINT8, {4}, {1, 2, 3, 4})};
  const auto reference = checked(program.reference(inputs));
  const std::vector<Tensor> outputs{*reference.tensors[reference.outputs[0]].value};
  WrongOperator wrong;
  wrong.id = reference.find("y");
  wrong.contents = {std::byte{9}, std::byte{2}, std::byte{3}, std::byte{4}};
  wrong.reads_right = wrong.read_as_tensor = true;
  describe_difference(wrong, *reference.tensors[*wrong.id].value, wrong.contents);
  CHECK(Evidence(program, inputs, reference, outputs).doubt(wrong) ==
        "no output is known to depend on the elements that differ");
}

TEST_CASE("a tensor explains outputs that differ if they follow from it exactly, and its commands read right tensors") {
  const Clamps net;
  const std::vector<Tensor> actual{tosa::test::tensor<std::int8_t>(DType::kINT8, {4}, {0, 0, 21, 50})};
  const Evidence evidence(net.program, net.inputs, net.reference, actual);
  auto wrong = net.written({-100, -5, 21, 90});
  CHECK(evidence.explains_outputs(wrong));
  CHECK_FALSE(evidence.explains_outputs(net.written({-100, -5, 22, 90})));
  CHECK_FALSE(evidence.explains_outputs(net.written({-100, -5, 20, 90})));
  wrong.reads_right = false;
  CHECK_FALSE(evidence.explains_outputs(wrong));
  wrong.reads_right = true;
  wrong.reads_in_order = false;
  CHECK_FALSE(evidence.explains_outputs(wrong));
}

TEST_CASE("a network is continued from tensors with other contents, and other outputs of their operators stay") {
  const Clamps net;
  Overrides overrides;
  overrides.emplace(*net.reference.find("y"), tosa::test::tensor<std::int8_t>(DType::kINT8, {4}, {1, 2, 60, -1}));
  const auto outputs = checked(net.program.outputs_with(net.inputs, net.reference, overrides));
  REQUIRE(outputs.size() == 1);
  CHECK(outputs[0] == tosa::test::tensor<std::int8_t>(DType::kINT8, {4}, {1, 2, 50, 0}));
  CHECK(checked(net.program.outputs_with(net.inputs, net.reference, {}))[0] == net.outputs[0]);
  const auto other = tosa::test::tensor<std::int8_t>(DType::kINT8, {4}, {7, 7, 7, 7});
  CHECK(checked(net.program.outputs_with(net.inputs, net.reference, {{net.reference.outputs[0], other}}))[0] == other);
}
