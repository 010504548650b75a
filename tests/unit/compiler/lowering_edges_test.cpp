#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"

#include <algorithm>
#include <span>

// Graphs at the limits of what one operation can do: each NPU computes what the interpreter does.
using namespace macaw;
using macaw::test::checked;

namespace {

struct Edge {
  const char* what;
  DType dtype;
  Shape shape;
  const char* body;  ///< behind "func.func @main(%x: tensor<...>) -> "
};

constexpr const char* kPool =
    R"(tensor<1x3x3x8xi8> {
  %o = tosa.max_pool2d %x {kernel = array<i64: 5, 5>, stride = array<i64: 4, 4>, pad = array<i64: 2, 2, 2, 2>, nan_mode = PROPAGATE} : (tensor<1x9x9x8xi8>) -> tensor<1x3x3x8xi8>
  return %o : tensor<1x3x3x8xi8>
})";

constexpr const char* kTies =
    R"(tensor<1x8x8x4xi8> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %f = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[2, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %o = tosa.resize %x, %s, %f, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x4x4x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x8x8x4xi8>
  return %o : tensor<1x8x8x4xi8>
})";

// 2048 is more than 12 bits with a sign hold.
constexpr const char* kOffset =
    R"(tensor<1x12x12x4xi8> {
  %s = tosa.const_shape {values = dense<[256, 256, 256, 256]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %f = tosa.const_shape {values = dense<[2048, 2048]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %b = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %o = tosa.resize %x, %s, %f, %b {mode = NEAREST_NEIGHBOR} : (tensor<1x20x20x4xi8>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x12x12x4xi8>
  return %o : tensor<1x12x12x4xi8>
})";

// (x + x) * x of -32768 is 2^31, which wraps.
constexpr const char* kSum =
    R"(tensor<1x1x2x8xi32> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %w = tosa.cast %x : (tensor<1x1x2x8xi16>) -> tensor<1x1x2x8xi32>
  %d = tosa.add %w, %w : (tensor<1x1x2x8xi32>, tensor<1x1x2x8xi32>) -> tensor<1x1x2x8xi32>
  %o = tosa.mul %d, %w, %z : (tensor<1x1x2x8xi32>, tensor<1x1x2x8xi32>, tensor<1xi8>) -> tensor<1x1x2x8xi32>
  return %o : tensor<1x1x2x8xi32>
})";

// (-128 - 127) * 65536 * 200 is more than 31 bits hold, 128 * 65536 * 200 is not.
constexpr const char* kZeroPoint =
    R"(tensor<1x1x2x8xi32> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %zx = "tosa.const"() {values = dense<127> : tensor<1xi8>} : () -> tensor<1xi8>
  %zw = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<14> : tensor<1xi8>} : () -> tensor<1xi8>
  %c = "tosa.const"() {values = dense<200> : tensor<1x1x1x1xi32>} : () -> tensor<1x1x1x1xi32>
  %w = tosa.rescale %x, %m, %s, %zx, %zw {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x2x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x2x8xi32>
  %o = tosa.mul %w, %c, %z : (tensor<1x1x2x8xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x2x8xi32>
  return %o : tensor<1x1x2x8xi32>
})";

// Factors 65536 and 3 of a quantised addition: the first has one bit more than operands are scaled by.
constexpr const char* kFactor =
    R"(tensor<1x1x2x8xi8> {
  %z = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %zw = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %ma = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %sa = "tosa.const"() {values = dense<14> : tensor<1xi8>} : () -> tensor<1xi8>
  %mb = "tosa.const"() {values = dense<805306368> : tensor<1xi32>} : () -> tensor<1xi32>
  %sb = "tosa.const"() {values = dense<28> : tensor<1xi8>} : () -> tensor<1xi8>
  %so = "tosa.const"() {values = dense<46> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = tosa.rescale %x, %ma, %sa, %z, %zw {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x2x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x2x8xi32>
  %b = tosa.rescale %x, %mb, %sb, %z, %zw {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x2x8xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x1x2x8xi32>
  %c = tosa.add %a, %b : (tensor<1x1x2x8xi32>, tensor<1x1x2x8xi32>) -> tensor<1x1x2x8xi32>
  %o = tosa.rescale %c, %ma, %so, %zw, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x2x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x2x8xi8>
  return %o : tensor<1x1x2x8xi8>
})";

const Edge kEdges[] = {{"a pool of stride 4 with padding behind", DType::kINT8, {1, 9, 9, 8}, kPool},
                       {"ties of the nearest go up", DType::kINT8, {1, 4, 4, 4}, kTies},
                       {"an offset of 2048", DType::kINT8, {1, 20, 20, 4}, kOffset},
                       {"a product of a sum", DType::kINT16, {1, 1, 2, 8}, kSum},
                       {"a product behind a zero point", DType::kINT8, {1, 1, 2, 8}, kZeroPoint},
                       {"a factor of 17 bits", DType::kINT8, {1, 1, 2, 8}, kFactor}};

}  // namespace

TEST_CASE("what is at the limit of an operation is computed as the interpreter does") {
  for (const auto& edge : kEdges) {
    INFO(edge.what);
    const auto text = fmt::format("func.func @main(%x: tensor<{}x{}x{}x{}x{}>) -> {}", edge.shape[0], edge.shape[1],
                                  edge.shape[2], edge.shape[3], edge.dtype == DType::kINT8 ? "i8" : "i16", edge.body);
    const auto graph = checked(tosa::parse_graph(std::as_bytes(std::span(text.data(), text.size())), "edge.mlir"));
    Tensor x(edge.dtype, edge.shape);
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
      // The least and the greatest value, then others.
      const auto v = static_cast<std::int64_t>(i * 7919 % 251) - 125;
      if (edge.dtype == DType::kINT8)
        x.data<std::int8_t>()[i] = static_cast<std::int8_t>(i == 0 ? -128 : i == 1 ? -1 : v);
      else x.data<std::int16_t>()[i] = static_cast<std::int16_t>(i == 0 ? -32768 : i == 1 ? 32767 : 257 * v);
    }
    const auto want = checked(tosa::run(graph, std::vector{x}));
    REQUIRE(want.verdict.status() == tosa::Status::kValid);
    for (const char* name : {"ethos-u55-128", "ethos-u85-256"}) {
      INFO(name);
      const auto& accelerator = *npu::find_accelerator(name);
      const auto artifact = npu::to_artifact(checked(npu::compile(graph, accelerator)));
      const std::vector<npu::NamedTensor> named{{"", x}};
      const auto got = checked(npu::run_functional(artifact, accelerator, named));
      CHECK(std::ranges::equal(got.outputs.at(0).bytes(), want.outputs.at(0).bytes()));
    }
  }
}
