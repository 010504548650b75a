#include <catch2/catch.hpp>

#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

constexpr int kCumsum = 128;

struct Sums {
  bool exclusive = false, reverse = false;
  int axis = 1;
};

TfliteFile network(fb::TensorType type, const std::vector<int>& shape, const Sums& sums, std::vector<float> scales,
                   std::int64_t zero_point) {
  TfliteFile file;
  const bool quantised = !scales.empty();
  const std::vector<float> from = quantised ? std::vector{scales[0]} : std::vector<float>();
  const std::vector<float> to = quantised ? std::vector{scales[1]} : std::vector<float>();
  const int in = file.input(type, shape, from, {zero_point}), out = file.tensor(type, shape, to, {zero_point});
  fb::CumsumOptionsT options;
  options.exclusive = sums.exclusive;
  options.reverse = sums.reverse;
  const int axis = file.constant<std::int32_t>(INT32, {1}, {sums.axis});
  file.op(kCumsum, {in, axis}, {out}, options).output(out);
  return file;
}

std::vector<float> floats(const Sums& sums) {
  const auto in = tensor_of<float>(DType::kFP32, {2, 3}, {1, 2, 4, 8, 16, 32});
  return values_of<float>(checked(run_file(network(FLOAT32, {2, 3}, sums, {}, 0), {in})).outputs[0]);
}

std::vector<std::int8_t> bytes(const Sums& sums, const std::vector<std::int8_t>& values, float in, float out,
                               std::int64_t zero_point) {
  const int extent = static_cast<int>(values.size());
  const auto tensor = tensor_of<std::int8_t>(DType::kINT8, {1, extent}, values);
  return values_of<std::int8_t>(
      checked(run_file(network(INT8, {1, extent}, sums, {in, out}, zero_point), {tensor})).outputs[0]);
}

using Octets = std::vector<std::int8_t>;

}  // namespace

TEST_CASE("CUMSUM adds along its axis, from either end, with or without the element itself") {
  CHECK(floats({}) == std::vector<float>{1, 3, 7, 8, 24, 56});
  CHECK(floats({.axis = -1}) == std::vector<float>{1, 3, 7, 8, 24, 56});
  CHECK(floats({.axis = 0}) == std::vector<float>{1, 2, 4, 9, 18, 36});
  CHECK(floats({.exclusive = true}) == std::vector<float>{0, 1, 3, 0, 8, 24});
  CHECK(floats({.reverse = true}) == std::vector<float>{7, 6, 4, 56, 48, 32});
  CHECK(floats({.exclusive = true, .reverse = true}) == std::vector<float>{6, 4, 0, 48, 32, 0});
}

TEST_CASE("CUMSUM of int8 rescales, saturates, and starts at minus the zero point as the reference kernel does") {
  // A line of a network that TensorFlow Lite for Microcontrollers ran.
  CHECK(bytes({}, {13, 19, 9, -5}, 0.05F, 0.05F, 0) == Octets{13, 32, 41, 36});
  CHECK(bytes({}, {100, 20, 20, -100}, 0.5F, 0.5F, 0) == Octets{100, 120, 127, 40});
  CHECK(bytes({}, {10, 20, 30}, 0.5F, 1.0F, 0) == Octets{5, 15, 30});
  CHECK(bytes({}, {10, 20, 30}, 1.0F, 1.0F, 4) == Octets{6, 22, 48});
  CHECK(bytes({.exclusive = true}, {10, 20, 30}, 1.0F, 1.0F, 4) == Octets{0, 6, 22});
}

TEST_CASE("CUMSUM refuses an axis that is not there, more than one, and other types") {
  const auto in = tensor_of<float>(DType::kFP32, {2, 3}, {1, 2, 4, 8, 16, 32});
  for (const int axis : {-3, 2}) CHECK_FALSE(run_file(network(FLOAT32, {2, 3}, {.axis = axis}, {}, 0), {in}));
  const auto words = tensor_of<std::int32_t>(DType::kINT32, {2, 3}, {1, 2, 4, 8, 16, 32});
  CHECK_FALSE(run_file(network(INT32, {2, 3}, {}, {}, 0), {words}));
}
