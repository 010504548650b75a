#include <catch2/catch.hpp>

#include <cmath>

#include "reference/tflite/op/softmax.hpp"
#include "tests/unit/reference/tflite/support.hpp"

using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

/// The nearest whole number to a quotient by a power of two; halves go up.
std::int64_t nearest(std::int64_t value, int exponent) {
  return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(value), -exponent) + 0.5));
}

}  // namespace

// tensorflow/lite/kernels/internal/reference/softmax.h, SoftmaxInt16: the sum of the exponentials is normalised to 17
// bits and its reciprocal taken from a table.
TEST_CASE("SOFTMAX of int16 rounds its sum before the reciprocal, and its quotients") {
  constexpr int kRows = 64, kMost = 40;
  for (int depth = 1; depth <= kMost; ++depth) {
    TfliteFile file;
    const int in = file.input(INT16, {kRows, depth}, {10.0F / 65535}, {0});
    const int out = file.tensor(INT16, {kRows, depth}, {1.0F / 32768}, {0});
    fb::SoftmaxOptionsT options;
    options.beta = 1;
    constexpr int kSoftmax = 25;
    file.op(kSoftmax, {in}, {out}, options).output(out);
    Tensor given(DType::kINT16, {kRows, depth});
    const auto values = given.data<std::int16_t>();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int16_t>(i % static_cast<std::size_t>(depth) == 0 ? 32767 : 30000 + i * 7919 % 2767);
    const auto result = values_of<std::int16_t>(checked(run_file(file, {given})).outputs.at(0));
    int wrong = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      std::vector<std::int64_t> exponentials;
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(depth); ++i) {
        // With this scale an element is a step of the table, the greatest its last one.
        const int x = values[row * static_cast<std::size_t>(depth) + i];
        exponentials.push_back(tflite::on_lines(tflite::SoftmaxInt16Scaling::exponential(), x));
        sum += exponentials.back();
      }
      const int bits = static_cast<int>(std::floor(std::log2(static_cast<double>(sum)))) + 1;
      const auto normal = nearest(sum, bits - 17);
      const auto reciprocal = tflite::on_lines(tflite::SoftmaxInt16Scaling::reciprocal(),
                                               static_cast<std::int32_t>(normal - (1 << 16) - (1 << 15)));
      for (std::size_t i = 0; i < exponentials.size(); ++i) {
        const auto expected = std::clamp<std::int64_t>(nearest(exponentials[i] * reciprocal, bits - 1), 0, 32767);
        wrong += result[row * exponentials.size() + i] != expected;
      }
    }
    INFO("depth " << depth);
    CHECK(wrong == 0);
  }
}
