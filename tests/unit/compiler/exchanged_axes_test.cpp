#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"

#include <algorithm>
#include <span>

// Transposes that exchange the contiguous axis, by themselves and inside of matrix products.
using namespace macaw;
using macaw::test::checked;

namespace {

std::string type(const Shape& shape, std::string_view element) {
  return fmt::format("tensor<{}x{}>", fmt::join(shape, "x"), element);
}

tosa::Graph read_graph(const std::string& text) {
  return checked(tosa::parse_graph(std::as_bytes(std::span(text.data(), text.size())), "exchanged.mlir"));
}

tosa::Graph transpose_graph(const Shape& shape, const std::vector<int>& axes, std::string_view element) {
  Shape out;
  for (const int axis : axes) out.push_back(shape[static_cast<std::size_t>(axis)]);
  const auto from = type(shape, element), to = type(out, element);
  return read_graph(
      fmt::format("func.func @main(%x: {0}) -> {1} {{\n  %o = tosa.transpose %x {{perms = array<i32: {2}>}} : ({0}) -> "
                  "{1}\n  return %o : {1}\n}}",
                  from, to, fmt::join(axes, ", ")));
}

/// MATMUL of [2,5,24] with what a TRANSPOSE of [2,40,24] gives, which is a second output too if `kept`.
tosa::Graph product_graph(bool kept) {
  return read_graph(fmt::format(R"(func.func @main(%a: tensor<2x5x24xi8>, %b: tensor<2x40x24xi8>) -> {0} {{
  %za = "tosa.const"() {{values = dense<3> : tensor<1xi8>}} : () -> tensor<1xi8>
  %zb = "tosa.const"() {{values = dense<-7> : tensor<1xi8>}} : () -> tensor<1xi8>
  %t = tosa.transpose %b {{perms = array<i32: 0, 2, 1>}} : (tensor<2x40x24xi8>) -> tensor<2x24x40xi8>
  %o = tosa.matmul %a, %t, %za, %zb : (tensor<2x5x24xi8>, tensor<2x24x40xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x5x40xi32>
  return %o{1}
}})",
                                kept ? "(tensor<2x5x40xi32>, tensor<2x24x40xi8>)" : "tensor<2x5x40xi32>",
                                kept ? ", %t : tensor<2x5x40xi32>, tensor<2x24x40xi8>" : " : tensor<2x5x40xi32>"));
}

Tensor scattered(DType dtype, const Shape& shape) {
  Tensor x(dtype, shape);
  std::uint32_t state = 1;
  for (auto& byte : x.bytes()) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return x;
}

/// Compiles for one accelerator, compares the outputs with the interpreter's and returns the block operations.
std::vector<npu::BlockOperation> computed(const tosa::Graph& graph, const std::vector<Tensor>& inputs,
                                          const npu::Accelerator& accelerator) {
  const auto want = checked(tosa::run(graph, inputs));
  REQUIRE(want.verdict.status() == tosa::Status::kValid);
  const auto compiled = checked(npu::compile(graph, accelerator));
  std::vector<npu::NamedTensor> named;
  for (const auto& input : inputs) named.push_back({"", input});
  const auto got = checked(npu::run_functional(npu::to_artifact(compiled), accelerator, named));
  REQUIRE(got.outputs.size() == want.outputs.size());
  for (std::size_t i = 0; i < want.outputs.size(); ++i)
    CHECK(std::ranges::equal(got.outputs[i].bytes(), want.outputs[i].bytes()));
  std::vector<npu::BlockOperation> operations;
  for (const auto& step : compiled.network.steps)
    if (const auto* layer = std::get_if<npu::Layer>(&step)) operations.push_back(layer->block);
  return operations;
}

}  // namespace

TEST_CASE("transposes give the interpreter's bytes on every accelerator") {
  struct Case {
    Shape shape;
    std::vector<int> axes;
  };
  const Case cases[] = {{{37, 50}, {1, 0}},
                        {{6, 33, 48}, {0, 2, 1}},
                        {{3, 20, 17}, {2, 0, 1}},
                        {{3, 20, 17}, {2, 1, 0}},
                        {{1, 12, 19, 3}, {0, 3, 1, 2}},
                        {{2, 5, 7, 18}, {3, 1, 0, 2}},
                        {{2, 5, 7, 18}, {2, 3, 1, 0}},
                        {{2, 3, 4, 5, 6}, {4, 2, 0, 3, 1}}};
  for (const auto& [shape, axes] : cases) {
    for (const auto& [element, dtype] :
         {std::pair{"i8", DType::kINT8}, {"i16", DType::kINT16}, {"i32", DType::kINT32}}) {
      const auto graph = transpose_graph(shape, axes, element);
      for (const auto& accelerator : npu::accelerators()) {
        INFO(accelerator.name << " " << element << fmt::format(" {} {}", shape, axes));
        computed(graph, {scattered(dtype, shape)}, accelerator);
      }
    }
  }
}

TEST_CASE("Ethos-U85 exchanges the contiguous axis with another in one operation") {
  constexpr int kStoreHcw = 2;
  const auto& accelerator = *npu::find_accelerator("ethos-u85-256");
  for (const auto& [shape, axes] : {std::pair<Shape, std::vector<int>>{{6, 33, 48}, {0, 2, 1}}, {{40, 56}, {1, 0}}}) {
    const auto operations = computed(transpose_graph(shape, axes, "i8"), {scattered(DType::kINT8, shape)}, accelerator);
    REQUIRE(operations.size() == 1);
    CHECK(operations[0].transpose == kStoreHcw);
    CHECK(operations[0].ofm.c == shape.back());
  }
}

TEST_CASE("merged axes that are longer than a register holds are exchanged in pieces") {
  const auto& accelerator = *npu::find_accelerator("ethos-u85-256");
  for (const auto& [shape, axes] :
       {std::pair<Shape, std::vector<int>>{{300, 300, 4}, {2, 0, 1}}, {{300, 300, 2, 3}, {0, 1, 3, 2}}}) {
    const auto operations = computed(transpose_graph(shape, axes, "i8"), {scattered(DType::kINT8, shape)}, accelerator);
    for (const auto& op : operations) CHECK(std::max({op.ofm.h, op.ofm.w, op.ofm.c}) <= 65536);
  }
}

TEST_CASE("a matrix product with a transposed operand gives the interpreter's sums") {
  const std::vector<Tensor> inputs{scattered(DType::kINT8, {2, 5, 24}), scattered(DType::kINT8, {2, 40, 24})};
  for (const auto& accelerator : npu::accelerators()) {
    INFO(accelerator.name);
    computed(product_graph(false), inputs, accelerator);
    computed(product_graph(true), inputs, accelerator);
  }
}
