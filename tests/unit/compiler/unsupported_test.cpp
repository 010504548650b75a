#include <catch2/catch.hpp>

#include "compiler/compile.hpp"
#include "models/graph_builder.hpp"
#include "models/models.hpp"

using namespace macaw;
using models::GraphBuilder;

namespace {

Tensor filled(DType dtype, Shape shape) { return Tensor(dtype, std::move(shape)); }

Error refusal(const GraphBuilder& g, std::string_view accelerator = "ethos-u55-128") {
  const auto result = npu::compile(g.graph(), *npu::find_accelerator(accelerator));
  REQUIRE_FALSE(result);
  return result.error();
}

}  // namespace

TEST_CASE("a graph without a form on the NPU is refused with operator and reason") {
  GraphBuilder g;
  const auto x = g.input("x", DType::kINT8, {1, 8, 8, 4});
  SECTION("kernel") {
    const auto acc = g.conv2d(x, filled(DType::kINT8, {4, 65, 1, 4}), filled(DType::kINT32, {4}),
                              {{65, 1}, {1, 1}, {1, 1}, {32, 32, 0, 0}}, 0);
    g.output(acc, "y");
    const auto error = refusal(g);
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find("64 rows") != std::string::npos);
    CHECK(error.place.op.find("CONV2D") != std::string::npos);
  }
  SECTION("window") {
    GraphBuilder wide;
    const auto in = wide.input("x", DType::kINT8, {1, 300, 1, 4});
    wide.output(wide.max_pool2d(in, {{257, 1}, {1, 1}, {1, 1}, {}}), "y");
    const auto error = refusal(wide);
    CHECK(error.message.find("256 x 256") != std::string::npos);
    GraphBuilder broad;
    broad.output(broad.max_pool2d(broad.input("x", DType::kINT8, {1, 1, 300, 4}), {{1, 257}, {1, 1}, {1, 1}, {}}), "y");
    CHECK(refusal(broad).message.find("256 x 256") != std::string::npos);
    CHECK(error.place.op.find("MAX_POOL2D") != std::string::npos);
  }
  SECTION("type") {
    GraphBuilder real;
    real.output(real.input("x", DType::kFP32, {4}), "x");
    const auto error = refusal(real, "ethos-u85-256");
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find("FP32") != std::string::npos);
  }
  SECTION("graph that breaks the specification") {
    g.output(g.max_pool2d(x, {{2, 2}, {1, 1}, {1, 1}, {2, 0, 0, 0}}), "y");
    const auto error = refusal(g);
    CHECK(error.code == ErrorCode::kInvalidGraph);
    CHECK(error.place.op.find("MAX_POOL2D") != std::string::npos);
  }
}

TEST_CASE("what only one family has is refused on the others by name") {
  tosa::Graph graph;
  graph.version = tosa::kVersion1_0;
  auto& block = graph.blocks.emplace_back();
  block.name = "main";
  for (const auto* name : {"a", "b", "y"}) block.values.push_back({name, DType::kINT32, Shape{2, 3}, {}, false, {}});
  auto& op = block.operators.emplace_back();
  op.inputs = {0, 1};
  op.outputs = {2};
  block.inputs = {0, 1};
  block.outputs = {2};
  for (const auto kind : {tosa::Op::kINTDIV, tosa::Op::kBITWISE_AND}) {
    block.operators[0].op = kind;
    const auto refused = npu::compile(graph, *npu::find_accelerator("ethos-u65-256"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kUnsupported);
    CHECK(refused.error().place.op.find(std::string(to_string(kind))) != std::string::npos);
    CHECK(refused.error().message.find("U65") != std::string::npos);
    CHECK(npu::compile(graph, *npu::find_accelerator("ethos-u85-256")));
  }
}

TEST_CASE("a model that is not there is refused by name") {
  const auto model = models::find("no_such_network");
  REQUIRE_FALSE(model);
  CHECK(model.error().code == ErrorCode::kUsage);
  CHECK(model.error().message.find("tiny_cnn") != std::string::npos);
}
