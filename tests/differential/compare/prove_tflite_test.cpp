#include <catch2/catch.hpp>

#include <macaw/tflite/to_tosa.hpp>

#include "compiler/compile.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/tflite_file.hpp"
#include "workflow/prove/prove.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace macaw;
using macaw::test::checked;
namespace fb = tflite::schema;

namespace {

constexpr int kConv = 3, kQuantize = 114, kMaxPool = 17;
constexpr float kScale = 0.25F;
constexpr std::int64_t kZero = 3;

/// A pool of int8, which has an exact form; with `is_float`, of what QUANTIZE makes of floats, which has none.
tflite::Network pooled(bool is_float) {
  test::TfliteFile file;
  const std::vector<int> shape = {1, 4, 4, 8}, half = {1, 2, 2, 8};
  int in = file.input(is_float ? fb::TensorType::FLOAT32 : fb::TensorType::INT8, shape,
                      is_float ? std::vector<float>{} : std::vector{kScale}, {kZero});
  if (is_float) {
    const int quantized = file.tensor(fb::TensorType::INT8, shape, {kScale}, {kZero});
    file.op(kQuantize, {in}, {quantized});
    in = quantized;
  }
  const int out = file.tensor(fb::TensorType::INT8, half, {kScale}, {kZero});
  fb::Pool2DOptionsT options;
  options.filter_height = options.filter_width = options.stride_h = options.stride_w = 2;
  file.op(kMaxPool, {in}, {out}, options).output(out);
  return checked(tflite::parse_network(file.bytes(), "net.tflite"));
}

/// The pool compiled, behind a QUANTIZE that the CPU runs.
npu::Artifact compiled_behind_quantize() {
  const auto graph = checked(tflite::to_tosa(pooled(false)));
  auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator("ethos-u55-128"))));
  auto quantized = artifact.inputs.at(0);
  quantized.dtype = DType::kINT8;
  quantized.quantization = std::make_shared<const Quantization>(Quantization{.scale = {kScale}, .zero_point = {kZero}});
  auto given = quantized;
  given.dtype = DType::kFP32;
  given.element_size = sizeof(float);
  given.quantization = {};
  given.offset = 0;
  given.memory = static_cast<int>(artifact.memories.size());
  const auto elements = std::accumulate(given.shape.begin(), given.shape.end(), std::int64_t{1}, std::multiplies<>());
  artifact.memories.push_back({.name = "floats", .size = static_cast<std::uint64_t>(elements) * sizeof(float)});
  artifact.steps.insert(artifact.steps.begin(),
                        npu::HostOperator{.name = "QUANTIZE", .inputs = {given}, .outputs = {quantized}});
  artifact.inputs = {given};
  return artifact;
}

/// A convolution of int16, whose sums have 48 bits in TOSA.
tflite::Network convolved(float out_scale) {
  test::TfliteFile file;
  constexpr int kIn = 4, kOut = 3, kTaps = 2;
  const int in = file.input(fb::TensorType::INT16, {1, 5, 5, kIn}, {0.001F}, {0});
  std::vector<std::int8_t> weights;
  for (int i = 0; i < kOut * kTaps * kTaps * kIn; ++i) weights.push_back(static_cast<std::int8_t>(i * 29 % 251 - 125));
  const int filter = file.constant<std::int8_t>(fb::TensorType::INT8, {kOut, kTaps, kTaps, kIn}, weights);
  file.quantized(filter, {0.02F, 0.01F, 0.005F}, 0);
  const int bias = file.constant<std::int64_t>(fb::TensorType::INT64, {kOut}, {12345, -678, 9});
  const int out = file.tensor(fb::TensorType::INT16, {1, 4, 4, kOut}, {out_scale}, {0});
  fb::Conv2DOptionsT options;
  options.padding = fb::Padding::VALID;
  options.stride_h = options.stride_w = 1;
  file.op(kConv, {in, filter, bias}, {out}, options).output(out);
  return checked(tflite::parse_network(file.bytes(), "net.tflite"));
}

}  // namespace

TEST_CASE("convolutions of int16 are proved, and not with another scale") {
  constexpr float kOutScale = 0.003F;
  const auto network = convolved(kOutScale), other = convolved(kOutScale * 1.0001F);
  for (const char* accelerator : {"ethos-u55-128", "ethos-u85-256"}) {
    const auto graph = checked(tflite::to_tosa(network));
    const auto artifact = npu::to_artifact(checked(npu::compile(graph, *npu::find_accelerator(accelerator))));
    const auto is_proved = [&](const tflite::Network& against) {
      const auto proof = checked(prove::prove(against, artifact, *artifact.accelerator, {.runs = 1}));
      INFO(accelerator << ": " << prove::to_text(proof));
      return std::ranges::any_of(
          proof.tensors, [](const auto& t) { return t.kind == "CONV2D" && t.verdict == prove::Verdict::kProved; });
    };
    CHECK(is_proved(network));
    CHECK_FALSE(is_proved(other));
  }
}

TEST_CASE("what has no exact form is not proved, and everything behind it is judged") {
  const auto network = pooled(true);
  const auto artifact = compiled_behind_quantize();
  const auto proof = checked(prove::prove(network, artifact, *artifact.accelerator, {.runs = 2}));
  INFO(prove::to_text(proof));
  REQUIRE(proof.tensors.size() == 3);
  CHECK(proof.tensors[0].kind == "MAX_POOL2D");
  CHECK(proof.tensors[0].verdict == prove::Verdict::kProved);
  CHECK(proof.tensors[1].kind == "QUANTIZE");
  CHECK(proof.tensors[1].verdict == prove::Verdict::kNotProved);
  CHECK(proof.tensors[1].reason == "no exact form in TOSA: TOSA has no exact division of floats");
  CHECK(proof.tensors[1].operators == std::vector<std::string>{"operator 0 (QUANTIZE, version 1)"});
  CHECK(proof.tensors[2].kind == "output");
  CHECK(proof.tensors[2].verdict == prove::Verdict::kProved);
}

TEST_CASE("what an operator of the CPU writes elsewhere is not taken for what operations read") {
  const auto network = pooled(true);
  auto artifact = compiled_behind_quantize();
  // The pool reads bytes that were not written.
  auto& quantize = std::get<npu::HostOperator>(artifact.steps.front());
  quantize.outputs[0].memory = static_cast<int>(artifact.memories.size());
  quantize.outputs[0].offset = 0;
  artifact.memories.push_back({.name = "elsewhere", .size = artifact.memories.back().size});
  const auto proof = checked(prove::prove(network, artifact, *artifact.accelerator, {.runs = 1}));
  INFO(prove::to_text(proof));
  CHECK(std::ranges::none_of(
      proof.tensors, [](const auto& t) { return t.kind == "MAX_POOL2D" && t.verdict == prove::Verdict::kProved; }));
  CHECK(proof.refuted());
}
