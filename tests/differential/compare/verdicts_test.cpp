#include <catch2/catch.hpp>

#include <macaw/npu/debug_database.hpp>

#include "compiler/compile.hpp"
#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"
#include "tests/unit/reference/tosa/graph_builder.hpp"

#include <algorithm>

// Differences that make compare fail, and those that it only reports.
using namespace macaw;
using test::checked;

namespace {

constexpr int kLow = 0, kHigh = 10;

/// One element, limited to 0 to 10 and looked up in a table.
tosa::Graph limited_look_up() {
  tosa::test::GraphBuilder b;
  std::vector<std::int8_t> entries(256);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<std::int8_t>(i * 37 % 251);
  const auto x = b.input("x", DType::kINT8, {1, 1, 1, 1}), limited = b.value("limited", DType::kINT8, {1, 1, 1, 1}),
             table = b.constant("table", tosa::test::tensor<std::int8_t>(DType::kINT8, {256}, entries)),
             out = b.value("out", DType::kINT8, {1, 1, 1, 1});
  auto& op = b.add(tosa::Op::kCLAMP, {x}, {limited});
  op.set(tosa::Attr::k_min_val, std::vector{static_cast<std::byte>(kLow)});
  op.set(tosa::Attr::k_max_val, std::vector{static_cast<std::byte>(kHigh)});
  op.set(tosa::Attr::k_nan_mode, std::int64_t{1});
  b.add(tosa::Op::kTABLE, {limited, table}, {out});
  b.output(out);
  return b.graph();
}

/// The compiled network with another entry in its table.
npu::Artifact with_entry(const tosa::Graph& graph, int index) {
  auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128"))));
  const auto& data = *std::ranges::find(graph.main().values, "table", &tosa::Value::name)->data;
  const auto bytes = data.data<std::int8_t>();
  const auto same = [](std::uint8_t a, std::int8_t b) { return a == static_cast<std::uint8_t>(b); };
  for (auto& memory : artifact.memories) {
    const auto found = std::ranges::search(memory.initial, bytes, same);
    if (found.empty()) continue;
    *(found.begin() + 128 + index) ^= 1;
    return artifact;
  }
  FAIL("the table is not among the constants");
  return artifact;
}

compare::Comparison compared(const tosa::Graph& graph, const npu::Artifact& artifact, const Tensor& input) {
  compare::Comparison comparison;
  REQUIRE(compare::add_run(comparison, graph, artifact, *artifact.accelerator, "given", {input}));
  REQUIRE(compare::search_counterexample(comparison, graph, artifact, *artifact.accelerator));
  return comparison;
}

Tensor one(int value) {
  return tosa::test::tensor<std::int8_t>(DType::kINT8, {1, 1, 1, 1}, {static_cast<std::int8_t>(value)});
}

}  // namespace

TEST_CASE("a table entry that no input reaches is a note, after more inputs were tried") {
  const auto graph = limited_look_up();
  const auto comparison = compared(graph, with_entry(graph, -100), one(3));
  CHECK(comparison.equal());
  CHECK(comparison.constants.differences.size() == 1);
  CHECK(comparison.notes().size() == 1);
  CHECK(comparison.runs.size() == 1);
  CHECK(comparison.tried == 48);
}

TEST_CASE("a table entry that the given input does not reach is a difference if another one does") {
  const auto graph = limited_look_up();
  const auto artifact = with_entry(graph, kLow);  // half of all inputs are limited to it
  const auto comparison = compared(graph, artifact, one(3));
  CHECK_FALSE(comparison.equal());
  REQUIRE(comparison.runs.size() == 2);
  CHECK(comparison.runs[0].outputs_equal());
  CHECK_FALSE(comparison.runs[1].outputs_equal());
  CHECK(comparison.runs[1].inputs.starts_with("seed "));
  const auto& wrong = comparison.runs[1].location.wrong;
  REQUIRE(wrong);
  CHECK(wrong->candidates == std::vector<std::string>{"operator 2 (TABLE)"});  // one element alone shows too little
  CHECK(wrong->name == "operator 2 (TABLE)");
}

TEST_CASE("a network without doubts is not run on more inputs") {
  const auto graph = limited_look_up();
  const auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128"))));
  const auto comparison = compared(graph, artifact, one(3));
  CHECK(comparison.equal());
  CHECK(comparison.tried == 0);
  CHECK(comparison.notes().empty());
}

TEST_CASE("a tensor of the output's size is not the output, but for its name or its contents") {
  const auto graph = limited_look_up();
  const auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128"))));
  const auto expected = checked(compare::Program(graph).reference({one(3)}));
  const auto output = *expected.tensors[expected.outputs[0]].value;
  const auto run = [&](const char* name, const Tensor& value) {
    compare::Reference reference;
    reference.tensors.push_back({.name = name, .value = value});
    compare::Comparison comparison;
    const auto done =
        compare::add_run(comparison, std::move(reference), artifact, *artifact.accelerator, named({one(3)}));
    if (!done) CHECK(done.error().code == ErrorCode::kMismatch);
    return std::pair(done.has_value(), done && !comparison.runs[0].outputs.empty());
  };
  Tensor other = output;
  other.bytes()[0] ^= std::byte{1};
  CHECK(run("unknown", other) == std::pair(false, false));
  CHECK(run("unknown", output) == std::pair(true, true));
  CHECK(run(artifact.outputs[0].name.c_str(), other) == std::pair(true, true));
}

TEST_CASE("the embedded debug database says that it counts a graph's operators") {
  const auto compiled = checked(npu::compile(limited_look_up(), *npu::find_accelerator("ethos-u55-128")));
  const auto text = npu::debug_database(compiled);
  const auto database = checked(npu::DebugDatabase::parse(std::as_bytes(std::span(text)), "net"));
  CHECK(database.numbering() == "tosa");
  auto imported = compiled;
  imported.network.is_tflite = true;
  imported.network.operators[0].index = 7;
  imported.network.operators[1].index.reset();
  const auto other = npu::debug_database(imported);
  const auto tflite = checked(npu::DebugDatabase::parse(std::as_bytes(std::span(other)), "net"));
  CHECK(tflite.numbering() == "tflite");
  CHECK(tflite.sources().at(0).index == 7);
  CHECK_FALSE(tflite.sources().at(1).index);
}

TEST_CASE("a step of which the outputs alone are known is a run with a note") {
  const auto graph = limited_look_up();
  const auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128"))));
  auto comparison = compared(graph, artifact, one(3));
  REQUIRE(compare::add_outputs(comparison, "step 1", {one(4)}, {one(4)}, "operators of step 0 alone"));
  CHECK(comparison.equal());
  CHECK(comparison.notes() == std::vector<std::string>{"operators of step 0 alone"});
  REQUIRE(compare::add_outputs(comparison, "step 2", {one(4)}, {one(5)}, "operators of step 0 alone"));
  CHECK_FALSE(comparison.equal());
  CHECK(comparison.notes().size() == 1);
  CHECK(comparison.runs.back().pictures.size() == 1);
  const auto text = compare::failure_text(comparison, comparison.runs.back());
  CHECK(text == "step 2: output 'out': 1 of 1 elements differ, the first at [0, 0, 0, 0]: tosa 4, sim 5\n");
  CHECK_FALSE(compare::add_outputs(comparison, "step 3", {one(4)}, {}, ""));
}
