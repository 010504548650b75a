#include <catch2/catch.hpp>

#include "models/graph_builder.hpp"
#include "models/models.hpp"
#include "sim/compile/compile.hpp"

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
  SECTION("accelerator") {
    g.output(g.max_pool2d(x, {{2, 2}, {2, 2}, {1, 1}, {}}), "y");
    const auto error = refusal(g, "ethos-u85-256");
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find("ethos-u85-256") != std::string::npos);
  }
  SECTION("convolution without RESCALE") {
    g.output(g.conv2d(x, filled(DType::kINT8, {4, 1, 1, 4}), filled(DType::kINT32, {4}), {}, 0), "y");
    const auto error = refusal(g);
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find("RESCALE") != std::string::npos);
    CHECK(error.place.op.find("CONV2D") != std::string::npos);
  }
  SECTION("stride") {
    g.output(g.max_pool2d(x, {{4, 4}, {4, 4}, {1, 1}, {}}), "y");
    const auto error = refusal(g);
    CHECK(error.message.find("stride") != std::string::npos);
    CHECK(error.place.op.find("MAX_POOL2D") != std::string::npos);
  }
  SECTION("padded average larger than the NPU divides") {
    g.output(g.avg_pool2d(x, {{9, 9}, {1, 1}, {1, 1}, {4, 4, 4, 4}}, 0, 0), "y");
    CHECK(refusal(g).message.find("average") != std::string::npos);
  }
  SECTION("type") {
    GraphBuilder wide;
    wide.output(wide.input("x", DType::kINT16, {4}), "x");
    const auto error = refusal(wide);
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find("INT16") != std::string::npos);
  }
  SECTION("addition whose factors have no exact form") {
    const auto a = g.rescale(x, DType::kINT32, {{1234567891}, {12}, 0, 0});
    const auto b = g.rescale(x, DType::kINT32, {{1987654321}, {12}, 0, 0});
    g.output(g.rescale(g.add(a, b), DType::kINT8, {{1 << 30}, {50}, 0, 0}), "y");
    const auto error = refusal(g);
    CHECK(error.message.find("multipliers") != std::string::npos);
    CHECK(error.place.op.find("ADD") != std::string::npos);
  }
  SECTION("graph that breaks the specification") {
    g.output(g.max_pool2d(x, {{2, 2}, {1, 1}, {1, 1}, {2, 0, 0, 0}}), "y");
    const auto error = refusal(g);
    CHECK(error.code == ErrorCode::kInvalidGraph);
    CHECK(error.place.op.find("MAX_POOL2D") != std::string::npos);
  }
  SECTION("RESCALE that nothing takes up") {
    g.output(g.rescale(x, DType::kINT32, {{1 << 30}, {20}, 0, 0}), "y");
    CHECK(refusal(g).place.op.find("RESCALE") != std::string::npos);
  }
}

TEST_CASE("a model that is not there is refused by name") {
  const auto model = models::find("no_such_network");
  REQUIRE_FALSE(model);
  CHECK(model.error().code == ErrorCode::kUsage);
  CHECK(model.error().message.find("tiny_cnn") != std::string::npos);
}
