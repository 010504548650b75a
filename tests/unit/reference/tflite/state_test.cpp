#include <catch2/catch.hpp>
#include <macaw/interruption.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include <cmath>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

constexpr int kLstm = 44;

/// One filter that remembers two inputs: output = newest + 2 * the one before.
TfliteFile memory_of_two() {
  TfliteFile file;
  const int in = file.input(INT8, {1, 1}, {1}, {0});
  const int feature = file.constant<std::int8_t>(INT8, {1, 1}, {1}, {1});
  const int time = file.constant<std::int8_t>(INT8, {1, 2}, {2, 1}, {1});
  const int state = file.variable(INT8, {1, 2}, {1}, {5});
  const int out = file.tensor(INT8, {1, 1}, {1}, {0});
  fb::SVDFOptionsT options;
  options.rank = 1;
  file.op(kSvdf, {in, feature, time, -1, state}, {out}, options).output(out);
  return file;
}

int step(const TfliteFile& file, int value, tflite::State& state) {
  const auto in = tensor_of<std::int8_t>(DType::kINT8, {1, 1}, {static_cast<std::int8_t>(value)});
  return values_of<std::int8_t>(checked(run_file(file, {in}, state)).outputs[0])[0];
}

}  // namespace

TEST_CASE("a variable starts at its zero point and keeps its contents from run to run") {
  const auto file = memory_of_two();
  tflite::State state;
  CHECK(step(file, 10, state) == 10);
  CHECK(step(file, 1, state) == 21);
  CHECK(step(file, 0, state) == 2);
  tflite::State fresh;
  CHECK(step(file, 7, fresh) == 7);
}

TEST_CASE("the cell of an LSTM is clipped above and below") {
  for (const float sign : {1.0F, -1.0F}) {
    TfliteFile file;
    const int in = file.input(FLOAT32, {1, 1, 1});
    const int none = file.constant<float>(FLOAT32, {1, 1}, {0});
    // Gates for input and output are open, that for forgetting is shut; the candidate is 1 or -1.
    const int open = file.constant<float>(FLOAT32, {1}, {20}), shut = file.constant<float>(FLOAT32, {1}, {-200}),
              candidate = file.constant<float>(FLOAT32, {1}, {20 * sign});
    const int hidden = file.variable(FLOAT32, {1, 1}), cell = file.variable(FLOAT32, {1, 1});
    const int out = file.tensor(FLOAT32, {1, 1, 1});
    std::vector<int> inputs(24, -1);
    inputs[0] = in;
    for (std::size_t i = 1; i < 9; ++i) inputs[i] = none;
    inputs[12] = open, inputs[13] = shut, inputs[14] = candidate, inputs[15] = open;
    inputs[18] = hidden, inputs[19] = cell;
    fb::UnidirectionalSequenceLSTMOptionsT options;
    options.fused_activation_function = fb::ActivationFunctionType::TANH;
    options.cell_clip = 0.25F;
    file.op(kLstm, inputs, {out}, options).output(out);
    const auto given = tensor_of<float>(DType::kFP32, {1, 1, 1}, {0});
    CHECK(values_of<float>(checked(run_file(file, {given})).outputs[0])[0] == Approx(sign * std::tanh(0.25F)));
  }
}

TEST_CASE("a run ends where an interruption is wanted, and leaves variables as they were") {
  const auto file = memory_of_two();
  tflite::State state;
  CHECK(step(file, 10, state) == 10);
  {
    const Interruption wanted([] { return true; });
    const auto ended = run_file(file, {Tensor(DType::kINT8, {1, 1})}, state);
    REQUIRE(!ended);
    CHECK(ended.error().message == "interrupted");
  }
  CHECK(step(file, 1, state) == 21);
}

TEST_CASE("a variable that is an output is shown, and has no form in TOSA") {
  TfliteFile file;
  const int in = file.input(INT8, {1}, {1});
  const int state = file.variable(INT8, {2}, {1}, {5});
  const int out = file.tensor(INT8, {1}, {1});
  file.op(kRelu, {in}, {out}).output(out).output(state);
  CHECK(values_of<std::int8_t>(checked(run_file(file, {Tensor(DType::kINT8, {1})})).outputs[1]) ==
        std::vector<std::int8_t>{5, 5});
  const auto graph = tflite::to_tosa(checked(tflite::parse_network(file.bytes(), "test")));
  REQUIRE(!graph);
  CHECK(graph.error().code == ErrorCode::kUnsupported);
}
