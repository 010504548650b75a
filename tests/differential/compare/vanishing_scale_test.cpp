#include <catch2/catch.hpp>

#include <macaw/tflite/to_tosa.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"
#include "workflow/compare/comparison.hpp"

using namespace macaw;
using macaw::test::checked;
namespace fb = tflite::schema;

namespace {

/// A convolution of one tap, whose first channel has a scale of its own.
tflite::Network with_first_scale(float first_scale) {
  constexpr int kConv = 3;
  test::TfliteFile file;
  const int in = file.input(fb::TensorType::INT8, {1, 4, 4, 2}, {0.5F}, {-3});
  const int filter = file.constant<std::int8_t>(fb::TensorType::INT8, {3, 1, 1, 2}, {90, -7, 31, 64, -100, 5},
                                                {first_scale, 0.25F, 0.125F});
  const int bias = file.constant<std::int32_t>(fb::TensorType::INT32, {3}, {2000000000, -7, 40});
  const int out = file.tensor(fb::TensorType::INT8, {1, 4, 4, 3}, {8.0F}, {5});
  fb::Conv2DOptionsT options;
  options.padding = fb::Padding::VALID;
  options.stride_h = options.stride_w = 1;
  file.op(kConv, {in, filter, bias}, {out}, options).output(out);
  return checked(tflite::parse_network(file.bytes(), "net.tflite"));
}

bool agree(const tflite::Network& network, const npu::Artifact& artifact) {
  Tensor input(DType::kINT8, {1, 4, 4, 2});
  for (std::size_t i = 0; i < input.data<std::int8_t>().size(); ++i)
    input.data<std::int8_t>()[i] = static_cast<std::int8_t>(i * 37 % 251 - 125);
  compare::Comparison comparison;
  const auto done = compare::add_run(comparison, network, artifact, *artifact.accelerator, "given", {input});
  INFO((done ? compare::to_text(comparison, false) : done.error().to_string()));
  REQUIRE(done);
  return comparison.equal();
}

}  // namespace

TEST_CASE("scales by which every sum is zero are the same") {
  constexpr float kTiny = 1e-12F;
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"}) {
    INFO(accelerator);
    const auto graph = checked(tflite::to_tosa(with_first_scale(kTiny)));
    const auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator(accelerator))));
    CHECK(agree(with_first_scale(kTiny), artifact));
    CHECK(agree(with_first_scale(kTiny / 2), artifact));
    CHECK_FALSE(agree(with_first_scale(1e-6F), artifact));
  }
}
