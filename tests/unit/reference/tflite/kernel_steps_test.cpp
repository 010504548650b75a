#include <catch2/catch.hpp>

#include <macaw/tflite/interpreter.hpp>
#include <macaw/tflite/kernel_steps.hpp>

#include "base/tflite/options.hpp"
#include "tests/support/checked.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace macaw;
using macaw::test::checked;

namespace {

/// Two rows of bytes through one operator.
tflite::Network network_of(const char* name, DType to, float out_scale, std::int64_t out_zero_point) {
  auto options = std::make_shared<tflite::Options>();
  if (std::string(name) == "SOFTMAX") {
    options->value.Set(tflite::schema::SoftmaxOptionsT{});
    options->value.AsSoftmaxOptions()->beta = 1;
  }
  const auto quantized = [](float scale, std::int64_t zero_point) {
    return std::make_shared<const Quantization>(Quantization{.scale = {scale}, .zero_point = {zero_point}});
  };
  tflite::Subgraph graph{
      "",
      {{"x", DType::kINT8, {2, 3}, quantized(0.125F, 4)}, {"y", to, {2, 3}, quantized(out_scale, out_zero_point)}},
      {{name, 1, {0}, {1}, std::move(options)}},
      {0},
      {1}};
  return {"", {std::move(graph)}};
}

Tensor input() {
  Tensor x(DType::kINT8, {2, 3});
  const std::int8_t values[] = {-128, 100, 127, 5, 5, 5};
  std::memcpy(x.bytes().data(), values, sizeof values);
  return x;
}

std::int32_t at(const tflite::KernelStep& step, std::size_t i) { return step.value.data<std::int32_t>()[i]; }

}  // namespace

TEST_CASE("the steps of SOFTMAX lead to what its kernel gives") {
  const bool wide = GENERATE(false, true);
  const auto network = wide ? network_of("SOFTMAX", DType::kINT16, 1.0F / 65536, -32768)
                            : network_of("SOFTMAX", DType::kINT8, 1.0F / 256, -128);
  tflite::State state;
  const auto result = checked(tflite::run(network, {input()}, state)).outputs[0];
  const auto forms = tflite::kernel_steps(network, network.main().operators[0], input(), result);
  REQUIRE(forms.size() == 2);
  const int least = wide ? -32768 : -128, most = -least - 1;
  for (const auto& steps : forms) {
    CHECK(steps.size() == (&steps == &forms[0] ? 27U : 31U) + wide);
    const auto named = [&](const char* name) { return *std::ranges::find(steps, name, &tflite::KernelStep::name); };
    const Tensor maximum = named("the maximum").value;
    CHECK(maximum.data<std::int8_t>()[0] == 127);
    CHECK(maximum.data<std::int8_t>()[1] == 5);
    const auto products = named("the exponentials over the sum"), shift = named("the shift of the result");
    for (std::size_t i = 0; i < 6; ++i) {
      const double quotient = std::ldexp(at(products, i), -at(shift, i / 3));
      const auto rounded = std::clamp(static_cast<int>(std::llround(quotient)) + least, least, most);
      CHECK((wide ? int{result.data<std::int16_t>()[i]} : int{result.data<std::int8_t>()[i]}) == rounded);
    }
    CHECK(std::ranges::equal(steps.back().value.bytes(), result.bytes()));
    for (std::size_t s = 0; s < steps.size(); ++s)
      for (const auto from : steps[s].from) CHECK(from < s);
  }
}

TEST_CASE("a quotient of SOFTMAX from half of a reciprocal is the nearest to twice their product, halves up") {
  const auto network = network_of("SOFTMAX", DType::kINT8, 1.0F / 256, -128);
  for (int distance = 1; distance < 40; ++distance) {
    Tensor x(DType::kINT8, {2, 3});
    for (std::size_t i = 0; i < 6; ++i)
      x.data<std::int8_t>()[i] = static_cast<std::int8_t>(120 - distance * static_cast<int>(i % 3));
    tflite::State state;
    const auto result = checked(tflite::run(network, {x}, state)).outputs[0];
    const auto steps = tflite::kernel_steps(network, network.main().operators[0], x, result).at(0);
    const auto last = [&](const char* name) {
      return *std::find_if(steps.rbegin(), steps.rend(), [&](const auto& step) { return step.name == name; });
    };
    const auto half = last("the reciprocal"), exponentials = last("the exponentials"),
               products = last("the exponentials over the sum");
    for (std::size_t i = 0; i < 6; ++i) {
      const auto product = std::int64_t{at(half, i / 3)} * at(exponentials, i);
      const auto nearest = (product >> 30) + (product >> 29 & 1);
      CHECK(at(products, i) == std::min<std::int64_t>(nearest, std::numeric_limits<std::int32_t>::max()));
    }
  }
}

TEST_CASE("the table of an operator is what its kernel makes of every byte") {
  const auto softmax = network_of("SOFTMAX", DType::kINT8, 1.0F / 256, -128);
  const auto exponentials = tflite::kernel_table(softmax, softmax.main().operators[0]);
  REQUIRE(exponentials.size() == 4 * 256);
  std::int32_t one = 0;
  std::memcpy(&one, &exponentials[4 * 255], 4);
  CHECK(one == INT32_MAX);

  const auto logistic = network_of("LOGISTIC", DType::kINT8, 1.0F / 256, -128);
  const auto table = tflite::kernel_table(logistic, logistic.main().operators[0]);
  REQUIRE(table.size() == 256);
  tflite::State state;
  const auto result = checked(tflite::run(logistic, {input()}, state)).outputs[0];
  const auto x = input();
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(std::to_integer<std::int8_t>(table[static_cast<std::size_t>(x.data<std::int8_t>()[i] + 128)]) ==
          result.data<std::int8_t>()[i]);

  // A function that the NPU also has without a table may be kept as one.
  const auto relu = network_of("RELU", DType::kINT8, 0.125F, 4);
  CHECK(tflite::kernel_table(relu, relu.main().operators[0]).size() == 256);
  const auto other = network_of("RESHAPE", DType::kINT8, 0.125F, 4);
  CHECK(tflite::kernel_table(other, other.main().operators[0]).empty());
}
