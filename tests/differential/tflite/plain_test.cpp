#include <catch2/catch.hpp>

#include <macaw/tflite/interpreter.hpp>

#include <cmath>
#include <cstdlib>

#include "tests/differential/tflite/maker.hpp"
#include "tests/support/checked.hpp"

// Operators and types that TensorFlow Lite for Microcontrollers does not have, beside plain formulas in double
// precision.

using namespace macaw;
using namespace macaw::test;

namespace {

constexpr double kOneRounding = 0.501, kTwoRoundings = 0.751;  // the second of halves of what the first gave, or finer

using Values = std::vector<double>;
using Coordinates = std::vector<std::int64_t>;

template <class T>
Values list(const Tensor& tensor) {
  Values values;
  for (const auto value : tensor.data<T>()) values.push_back(static_cast<double>(value));
  return values;
}

Values values_of(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kBOOL: return list<bool>(tensor);
    case DType::kINT8: return list<std::int8_t>(tensor);
    case DType::kUINT8: return list<std::uint8_t>(tensor);
    case DType::kINT16: return list<std::int16_t>(tensor);
    case DType::kINT32: return list<std::int32_t>(tensor);
    default: REQUIRE(tensor.dtype() == DType::kFP32); return list<float>(tensor);
  }
}

/// A random network of one operator, and what it gave.
struct Run {
  tflite::Network network;
  std::vector<Tensor> inputs;  ///< of the operator
  Tensor output{DType::kINT8, {1}};

  Run(std::string_view name, std::uint64_t seed, fb::TensorType bytes) {
    const auto& makers = operator_makers();
    const auto maker = std::ranges::find(makers, name, &OperatorMaker::name);
    REQUIRE(maker != makers.end());
    Maker m(seed * 7919 + static_cast<std::uint64_t>(maker->builtin), bytes);
    maker->make(m, maker->builtin);
    const auto file = m.finish();
    network = checked(tflite::parse_network(file, "plain"));
    const auto given = random_inputs(file, seed);
    tflite::State state;
    output = checked(tflite::run(network, given, state)).outputs[0];
    const auto& graph = network.main();
    for (const int id : graph.operators[0].inputs) {
      const auto& info = graph.tensors[static_cast<std::size_t>(id)];
      const auto at = std::ranges::find(graph.inputs, id) - graph.inputs.begin();
      inputs.push_back(info.constant ? *info.constant : given[static_cast<std::size_t>(at)]);
    }
  }

  /// Real value of a quantised value.
  [[nodiscard]] static double real(const tflite::TensorInfo& info, double value) {
    if (!info.quantization || info.quantization->scale.empty()) return value;
    return (value - static_cast<double>(info.quantization->zero_point[0])) * double{info.quantization->scale[0]};
  }
  [[nodiscard]] const tflite::TensorInfo& of_input(std::size_t i) const {
    return network.main().tensors[static_cast<std::size_t>(network.main().operators[0].inputs[i])];
  }
  [[nodiscard]] const tflite::TensorInfo& of_output() const {
    return network.main().tensors[static_cast<std::size_t>(network.main().operators[0].outputs[0])];
  }
};

Coordinates coordinates(std::int64_t flat, const Shape& shape) {
  Coordinates at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return at;
}

std::size_t flat(const Coordinates& at, const Shape& shape) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) index = index * shape[axis] + at[axis];
  return static_cast<std::size_t>(index);
}

template <class F>
void for_networks(std::string_view name, F&& f) {
  const char* text = std::getenv("MACAW_TFLM_SHAPES");
  const std::uint64_t count = text ? std::strtoull(text, nullptr, 10) : 40;
  for (std::uint64_t seed = 0; seed < count; ++seed)
    for (const auto bytes : {INT8, UINT8}) {
      if (bytes == UINT8 && (name == "EXP" || name == "LOG" || name == "NEG")) continue;  // not there
      INFO(name << ", seed " << seed << ", type " << static_cast<int>(bytes));
      f(Run(name, seed, bytes));
    }
}

/// Whether an element lies within `tolerance` of what f says, in steps of its type.
template <class F>
void expect_near(std::string_view name, double tolerance, F&& f) {
  for_networks(name, [&](const Run& run) {
    if (run.output.dtype() != DType::kINT8 && run.output.dtype() != DType::kUINT8) return;
    const bool is_signed = run.output.dtype() == DType::kINT8;
    const double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    const auto& quantization = *run.of_output().quantization;
    const auto in = values_of(run.inputs[0]), out = values_of(run.output);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double real = f(run, Run::real(run.of_input(0), in[i]));
      const double steps = real / double{quantization.scale[0]} + static_cast<double>(quantization.zero_point[0]);
      INFO("element " << i << ": " << in[i] << " gives " << out[i] << ", near " << steps);
      REQUIRE(std::abs(out[i] - std::clamp(steps, low, high)) <= tolerance);
    }
  });
}

}  // namespace

TEST_CASE("bounded rectifiers scale and clamp") {
  expect_near("RELU_N1_TO_1", kTwoRoundings, [](const Run& run, double x) {
    // The bounds are rounded to integers before.
    const double scale = run.of_output().quantization->scale[0];
    return std::clamp(x, std::round(-1 / scale) * scale, std::round(1 / scale) * scale);
  });
  expect_near("RELU_0_TO_1", kTwoRoundings, [](const Run& run, double x) {
    const double scale = run.of_output().quantization->scale[0];
    return std::clamp(x, 0.0, std::round(1 / scale) * scale);
  });
}

TEST_CASE("functions of bytes give the nearest integers") {
  expect_near("EXP", kOneRounding, [](const Run&, double x) { return std::exp(x); });
  expect_near("LOG", kOneRounding, [](const Run&, double x) { return x > 0 ? std::log(x) : -1e6; });
  expect_near("GELU", kOneRounding, [](const Run& run, double x) {
    const auto* options = run.network.main().operators[0].options->value.AsGeluOptions();
    REQUIRE(options);
    constexpr double kPi = 3.14159265358979323846;
    if (!options->approximate) return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    return x / 2 * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
  });
}

TEST_CASE("exponentials of 16 bits lie near the lines between their values") {
  for_networks("EXP", [](const Run& run) {
    if (run.output.dtype() != DType::kINT16) return;
    const double scale = run.of_output().quantization->scale[0], step = 128 * run.of_input(0).quantization->scale[0];
    if (step > 0.5) return;
    const auto in = values_of(run.inputs[0]), out = values_of(run.output);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double x = Run::real(run.of_input(0), in[i]), highest = std::exp(x + 2 * step) / scale;
      if (highest > 32000) continue;  // of which lines may end in what 16 bits do not hold
      // A line's distance in its middle, half of that by which its ends are moved, and roundings.
      REQUIRE(std::abs(out[i] - std::exp(x) / scale) <= 1.5 * step * step / 8 * highest + 4);
    }
  });
}

TEST_CASE("logarithms of 16 bits lie near the lines between their values") {
  for_networks("LOG", [](const Run& run) {
    if (run.output.dtype() != DType::kINT16) return;
    constexpr double kStep = 128;  // from one of the values to the next
    const double scale = run.of_output().quantization->scale[0];
    const auto in = values_of(run.inputs[0]), out = values_of(run.output);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] <= -kStep) REQUIRE(out[i] == -32768);
      if (in[i] < 4 * kStep) continue;  // where it bends more than lines follow
      const double bend = kStep / (in[i] - kStep);
      REQUIRE(std::abs(out[i] - std::log(Run::real(run.of_input(0), in[i])) / scale) <= bend * bend / 8 / scale + 2);
    }
  });
}

TEST_CASE("NEG negates integers as they are") {
  for_networks("NEG", [](const Run& run) {
    const auto in = values_of(run.inputs[0]), out = values_of(run.output);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const bool is_least = (run.output.dtype() == DType::kINT8 && in[i] == -128) ||
                            (run.output.dtype() == DType::kINT16 && in[i] == -32768);
      REQUIRE(out[i] == (is_least ? in[i] : -in[i]));
    }
  });
}

TEST_CASE("quotients of 16 bits are the nearest, those of 32 go to 0") {
  for_networks("DIV", [](const Run& run) {
    const bool is_wide = run.output.dtype() == DType::kINT32;
    if (!is_wide && run.output.dtype() != DType::kINT16) return;
    const auto a = values_of(run.inputs[0]), b = values_of(run.inputs[1]), out = values_of(run.output);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (is_wide) {
        REQUIRE(out[i] == std::trunc(a[i] / b[i]));
        continue;
      }
      const double real = Run::real(run.of_input(0), a[i]) / Run::real(run.of_input(1), b[i]);
      const double steps = std::clamp(real / double{run.of_output().quantization->scale[0]}, -32768.0, 32767.0);
      REQUIRE(std::abs(out[i] - steps) <= 0.51);
    }
  });
}

TEST_CASE("REDUCE_ANY says whether one of those that are folded is true") {
  for_networks("REDUCE_ANY", [](const Run& run) {
    const auto& shape = run.inputs[0].shape();
    const auto rank = static_cast<double>(shape.size());
    std::vector<bool> is_folded(shape.size());
    for (const double axis : values_of(run.inputs[1]))
      is_folded[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    Shape kept;
    for (std::size_t a = 0; a < shape.size(); ++a) kept.push_back(is_folded[a] ? 1 : shape[a]);
    Values expected(static_cast<std::size_t>(run.output.size()), 0);
    const auto in = values_of(run.inputs[0]);
    for (std::size_t i = 0; i < in.size(); ++i) {
      auto at = coordinates(static_cast<std::int64_t>(i), shape);
      for (std::size_t a = 0; a < at.size(); ++a)
        if (is_folded[a]) at[a] = 0;
      if (in[i] != 0) expected[flat(at, kept)] = 1;
    }
    REQUIRE(values_of(run.output) == expected);
  });
}

TEST_CASE("SELECT takes each element from where its condition says") {
  for_networks("SELECT", [](const Run& run) {
    const auto condition = values_of(run.inputs[0]), a = values_of(run.inputs[1]), b = values_of(run.inputs[2]);
    const auto out = values_of(run.output);
    for (std::size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == (condition[i] != 0 ? a : b)[i]);
  });
}

TEST_CASE("TILE repeats along every axis") {
  for_networks("TILE", [](const Run& run) {
    const auto in = values_of(run.inputs[0]), out = values_of(run.output);
    for (std::size_t i = 0; i < out.size(); ++i) {
      auto at = coordinates(static_cast<std::int64_t>(i), run.output.shape());
      for (std::size_t a = 0; a < at.size(); ++a) at[a] %= run.inputs[0].shape()[a];
      REQUIRE(out[i] == in[flat(at, run.inputs[0].shape())]);
    }
  });
}

TEST_CASE("SCATTER_ND adds the elements of a place") {
  for_networks("SCATTER_ND", [](const Run& run) {
    const auto indices = values_of(run.inputs[0]), updates = values_of(run.inputs[1]);
    const auto& shape = run.output.shape();
    const auto depth = static_cast<std::size_t>(run.inputs[0].shape()[1]);
    Values expected(static_cast<std::size_t>(run.output.size()), 0);
    const auto run_length = updates.size() / (indices.size() / depth);
    for (std::size_t i = 0; i < updates.size(); ++i) {
      Coordinates at(shape.size(), 0);
      for (std::size_t a = 0; a < depth; ++a) at[a] = static_cast<std::int64_t>(indices[i / run_length * depth + a]);
      expected[flat(at, shape) + i % run_length] += updates[i];
    }
    const auto out = values_of(run.output);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double wrapped =
          run.output.dtype() == DType::kINT8    ? static_cast<std::int8_t>(static_cast<int>(expected[i]))
          : run.output.dtype() == DType::kUINT8 ? static_cast<std::uint8_t>(static_cast<int>(expected[i]))
                                                : static_cast<float>(expected[i]);
      REQUIRE(std::abs(out[i] - wrapped) <= 1e-3);
    }
  });
}
