#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "compiler/compile.hpp"
#include "models/random.hpp"
#include "tests/support/checked.hpp"

#include <span>

using namespace macaw;
using macaw::test::checked;

namespace {

std::string drawn(models::Random& random, int count, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (auto& v : values) v = random.between(low, high);
  return fmt::format("[{}]", fmt::join(values, ", "));
}

/// The same for each of the extents before the last.
std::string drawn(models::Random& random, std::span<const int> extents, std::int64_t low, std::int64_t high) {
  if (extents.size() == 1) return drawn(random, extents[0], low, high);
  std::vector<std::string> parts(static_cast<std::size_t>(extents[0]));
  for (auto& part : parts) part = drawn(random, extents.subspan(1), low, high);
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// A convolution of int16 whose biases need more than 32 bits, with a scale for each channel.
tosa::Graph wide_convolution(models::Random& random) {
  constexpr int kWeights[] = {8, 3, 3, 8};
  const std::string weights = drawn(random, kWeights, -127, 127);
  const auto text = fmt::format(
      R"(func.func @main(%x: tensor<1x5x6x8xi16>) -> tensor<1x5x6x8xi16> {{
  %k = "tosa.const"() {{values = dense<{}> : tensor<8x3x3x8xi8>}} : () -> tensor<8x3x3x8xi8>
  %b = "tosa.const"() {{values = dense<{}> : tensor<8xi48>}} : () -> tensor<8xi48>
  %zx = "tosa.const"() {{values = dense<0> : tensor<1xi16>}} : () -> tensor<1xi16>
  %zw = "tosa.const"() {{values = dense<0> : tensor<1xi8>}} : () -> tensor<1xi8>
  %za = "tosa.const"() {{values = dense<0> : tensor<1xi48>}} : () -> tensor<1xi48>
  %c = tosa.conv2d %x, %k, %b, %zx, %zw {{acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}} : (tensor<1x5x6x8xi16>, tensor<8x3x3x8xi8>, tensor<8xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x5x6x8xi48>
  %m = "tosa.const"() {{values = dense<{}> : tensor<8xi16>}} : () -> tensor<8xi16>
  %s = "tosa.const"() {{values = dense<{}> : tensor<8xi8>}} : () -> tensor<8xi8>
  %o = tosa.rescale %c, %m, %s, %za, %zx {{input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = false}} : (tensor<1x5x6x8xi48>, tensor<8xi16>, tensor<8xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x5x6x8xi16>
  return %o : tensor<1x5x6x8xi16>
}})",
      weights, drawn(random, 8, -(std::int64_t{1} << 35), std::int64_t{1} << 35),
      drawn(random, 8, 1 << 14, (1 << 15) - 1), drawn(random, 8, 33, 36));
  return checked(tosa::parse_graph(std::as_bytes(std::span(text.data(), text.size())), "wide.mlir"));
}

}  // namespace

TEST_CASE("convolutions of 16 bits keep biases and scales of their own width on every family") {
  models::Random random(5);
  for (int round = 0; round < 4; ++round) {
    const auto graph = wide_convolution(random);
    std::vector<Tensor> inputs{Tensor(DType::kINT16, {1, 5, 6, 8})};
    for (auto& v : inputs[0].data<std::int16_t>()) v = static_cast<std::int16_t>(random.between(-32768, 32767));
    const auto want = checked(tosa::run(graph, inputs));
    REQUIRE(want.verdict.status() == tosa::Status::kValid);
    for (const char* name : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"}) {
      INFO(name);
      const auto& accelerator = *npu::find_accelerator(name);
      const auto artifact = npu::to_artifact(checked(npu::compile(graph, accelerator)));
      std::vector<npu::NamedTensor> named;
      for (const auto& tensor : inputs) named.push_back({"", tensor});
      const auto got = checked(npu::run_functional(artifact, accelerator, named));
      CHECK(std::ranges::equal(got.outputs.at(0).bytes(), want.outputs.at(0).bytes()));
    }
  }
}
