#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "tests/unit/reference/tflite/support.hpp"

// Operators on all values of a byte, at scales whose ratios are whole, so that the real result is the answer.
using namespace macaw;
using namespace macaw::test;
using enum fb::TensorType;

namespace {

enum Elementwise {
  kDiv = 42,
  kLogSoftmax = 50,
  kLess = 58,
  kCast = 53,
  kPrelu = 54,
  kFloorDiv = 90,
  kLeakyRelu = 98,
  kAbs = 101,
  kQuantize = 114,
  kHardSwish = 117
};

Tensor all_bytes() {
  Tensor tensor(DType::kINT8, {256});
  for (int i = 0; i < 256; ++i)
    tensor.data<std::int8_t>()[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
  return tensor;
}

/// Checks out = f(x - 3) - 5, clamped, for every byte: inputs in steps of 1/2 around 3, outputs in steps of 1/4 around
/// -5.
template <class F>
void check_bytes(TfliteFile& file, int out, F&& f) {
  file.output(out);
  const auto values = values_of<std::int8_t>(checked(run_file(file, {all_bytes()})).outputs.at(0));
  for (int x = -128; x < 128; ++x) {
    INFO(x);
    CHECK(values[static_cast<std::size_t>(x + 128)] == std::clamp(f(x - 3) - 5, -128, 127));
  }
}

struct ByteFile {
  TfliteFile file = TfliteFile();
  int in = file.input(INT8, {256}, {0.5F}, {3});
  int out = file.tensor(INT8, {256}, {0.25F}, {-5});
};

/// All bytes over one, at scales whose quotient is `ratio`.
std::vector<std::int8_t> quotients(int divisor, float ratio) {
  TfliteFile file;
  const int a = file.input(INT8, {256}, {ratio}, {0}), b = file.input(INT8, {1}, {1.0F}, {0});
  const int out = file.tensor(INT8, {256}, {1.0F}, {0});
  file.op(kDiv, {a, b}, {out}, fb::DivOptionsT()).output(out);
  const auto by = tensor_of<std::int8_t>(DType::kINT8, {1}, {static_cast<std::int8_t>(divisor)});
  return values_of<std::int8_t>(checked(run_file(file, {all_bytes(), by})).outputs.at(0));
}

std::vector<std::int8_t> quantized(const std::vector<float>& values) {
  TfliteFile file;
  const int size = static_cast<int>(values.size());
  const int in = file.input(FLOAT32, {size}), out = file.tensor(INT8, {size}, {0.5F}, {7});
  file.op(kQuantize, {in}, {out}).output(out);
  return values_of<std::int8_t>(checked(run_file(file, {tensor_of(DType::kFP32, {size}, values)})).outputs.at(0));
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("ABS is the distance from the zero point, in the output's steps") {
  ByteFile b;
  b.file.op(kAbs, {b.in}, {b.out});
  check_bytes(b.file, b.out, [](int x) { return 2 * std::abs(x); });
}

TEST_CASE("LEAKY_RELU multiplies negative values by a slope of either sign") {
  for (const int alpha : {-3, -1, 0, 2}) {
    ByteFile b;
    fb::LeakyReluOptionsT options;
    options.alpha = static_cast<float>(alpha);
    b.file.op(kLeakyRelu, {b.in}, {b.out}, options);
    INFO("slope " << alpha);
    check_bytes(b.file, b.out, [&](int x) { return x >= 0 ? 2 * x : 2 * alpha * x; });
  }
}

TEST_CASE("PRELU takes slopes around their zero point") {
  for (const int alpha : {-2, 0, 1, 3}) {
    ByteFile b;
    const int slope = b.file.constant<std::int8_t>(INT8, {1}, {static_cast<std::int8_t>(alpha + 11)}, {1.0F}, {11});
    b.file.op(kPrelu, {b.in, slope}, {b.out});
    INFO("slope " << alpha);
    check_bytes(b.file, b.out, [&](int x) { return x >= 0 ? 2 * x : 2 * alpha * x; });
  }
}

TEST_CASE("LESS compares what operands of different scales stand for") {
  for (const int y : {-128, -50, 0, 1, 30, 127}) {
    TfliteFile file;
    const int a = file.input(INT8, {256}, {0.5F}, {3}), b = file.input(INT8, {1}, {0.125F}, {-9});
    const int out = file.tensor(BOOL, {256});
    file.op(kLess, {a, b}, {out}).output(out);
    const auto right = tensor_of<std::int8_t>(DType::kINT8, {1}, {static_cast<std::int8_t>(y)});
    const auto result = checked(run_file(file, {all_bytes(), right})).outputs.at(0);
    for (int x = -128; x < 128; ++x) {
      INFO(x << " and " << y);
      CHECK((result.bytes()[static_cast<std::size_t>(x + 128)] != std::byte{0}) == (4 * (x - 3) < y + 9));
    }
  }
}

TEST_CASE("FLOOR_DIV rounds quotients of all signs down") {
  std::vector<std::int32_t> a, b, expected;
  for (int x = -9; x <= 9; ++x)
    for (int y = -4; y <= 4; ++y)
      if (y != 0) {
        a.push_back(x);
        b.push_back(y);
        expected.push_back(static_cast<int>(std::floor(static_cast<double>(x) / y)));
      }
  const int size = static_cast<int>(a.size());
  TfliteFile file;
  const int left = file.input(INT32, {size}), right = file.input(INT32, {size}), out = file.tensor(INT32, {size});
  file.op(kFloorDiv, {left, right}, {out}).output(out);
  const auto result = run_file(file, {tensor_of(DType::kINT32, {size}, a), tensor_of(DType::kINT32, {size}, b)});
  CHECK(values_of<std::int32_t>(checked(result).outputs.at(0)) == expected);
  b[5] = 0;
  CHECK_FALSE(run_file(file, {tensor_of(DType::kINT32, {size}, a), tensor_of(DType::kINT32, {size}, b)}));
}

TEST_CASE("DIV of bytes is the nearest quotient, also where a half or little more is left of it") {
  for (const float ratio : {0.9F / 128, 0.3F, 1.0F, 17.7F})
    for (const int divisor : {-128, -50, -3, -1, 1, 2, 7, 127}) {
      const auto values = quotients(divisor, ratio);
      for (int x = -128; x < 128; ++x) {
        const double real = double{ratio} * x / divisor;
        // Below a half it may be shifted by more than 31 bits, which the reference kernel leaves undefined.
        if (std::abs(real) < 0.5 || std::abs(std::abs(real - std::trunc(real)) - 0.5) < 1e-6) continue;
        INFO(x << " over " << divisor << ", times " << ratio);
        CHECK(values[static_cast<std::size_t>(x + 128)] == std::clamp(std::lround(real), -128L, 127L));
      }
    }
}

TEST_CASE("DIV shifts a negative power of two as far to the left as its sign allows") {
  // -1 / 50 * 25: 2^31 * 32 / 50 is cut to 1374389534, so that of 31 bits a little less than a half is left, which is
  // 0; with a bit less the half is a tie, and away from zero.
  struct Row {
    int dividend, divisor;
    float ratio;
  };
  for (const Row& row : {Row{-1, 50, 25}, {-2, 100, 25}, {-1, 25, 12.5F}, {-2, 50, 12.5F}, {-4, 100, 12.5F}}) {
    CAPTURE(row.dividend, row.divisor);
    CHECK(quotients(row.divisor, row.ratio)[static_cast<std::size_t>(row.dividend + 128)] == 0);
  }
}

TEST_CASE("DIV of 0 is 1 where the kernel shifts it by more than 31 bits") {
  struct Row {
    int divisor;
    float ratio;
    int quotient;
  };
  for (const Row& row :
       {Row{1, 1, 0}, {2, 1, 0}, {4, 1, 1}, {-4, 1, 1}, {127, 0.3F, 1}, {127, 17.7F, 1}, {2, 17.7F, 0}}) {
    CAPTURE(row.divisor, row.ratio);
    CHECK(quotients(row.divisor, row.ratio)[128] == row.quotient);
  }
  // Other small quotients leave their sign.
  const auto small = quotients(100, 0.9F / 128);
  CHECK(small[127] == -1);
  CHECK(small[129] == 1);
}

TEST_CASE("LOG_SOFTMAX of two bytes is the logarithm within a step, as far as its differences reach") {
  for (int n = 0; n < 160; ++n) {
    const float scale = 0.126F + 0.001F * static_cast<float>(n);
    TfliteFile file;
    const int in = file.input(INT8, {256, 2}, {scale}, {0}), out = file.tensor(INT8, {256, 2}, {16.0F / 256}, {127});
    file.op(kLogSoftmax, {in}, {out}).output(out);
    Tensor pairs(DType::kINT8, {256, 2});
    for (std::size_t i = 0; i < 512; ++i)
      pairs.data<std::int8_t>()[i] = static_cast<std::int8_t>(i % 2 == 0 ? 127 : static_cast<int>(i / 2) - 128);
    const auto values = values_of<std::int8_t>(checked(run_file(file, {pairs})).outputs.at(0));
    // Differences are 5 integer bits and 26 others; beyond 31 of them, with the multiplier's shift, is the least output
    // (tensorflow/lite/kernels/internal/quantization_util.cc, CalculateInputRadius).
    int exponent = 0, far = 0;
    std::frexp(std::ldexp(scale, 26), &exponent);
    const int radius = static_cast<int>(std::floor(31 * std::ldexp(1.0, 26 - exponent)));
    for (int x = -128; x < 128; ++x) {
      const double difference = double{scale} * (x - 127), real = difference - std::log1p(std::exp(difference));
      const double expected = std::clamp(16 * real + 127, -128.0, 127.0);
      const int value = values[static_cast<std::size_t>(2 * (x + 128) + 1)];
      far += x - 127 < -radius ? value != -128 : std::abs(value - expected) > 1;
    }
    INFO("scale " << scale);
    CHECK(far == 0);
  }
}

TEST_CASE("QUANTIZE rounds halves away from zero, clamps, and takes NaN for 0") {
  CHECK(quantized({0.25F, 0.75F, 1.25F, -0.25F, -0.75F, -1.25F, 0.24F, 60, 60.25F, -67.5F, -68}) ==
        std::vector<std::int8_t>{8, 9, 10, 6, 5, 4, 7, 127, 127, -128, -128});
  CHECK(quantized({kNan, kInfinity, -kInfinity, 3e9F, -3e9F}) == std::vector<std::int8_t>{7, 127, -128, 127, -128});
}

TEST_CASE("CAST cuts fractions off, clamps, and takes NaN for 0") {
  const std::vector<float> values = {1.9F, -1.9F, 0.5F, kNan, kInfinity, -kInfinity, 300, -300, 3e9F, -3e9F};
  const int size = static_cast<int>(values.size());
  const auto cast_to = [&](fb::TensorType type) {
    TfliteFile file;
    const int in = file.input(FLOAT32, {size}), out = file.tensor(type, {size});
    file.op(kCast, {in}, {out}).output(out);
    return checked(run_file(file, {tensor_of(DType::kFP32, {size}, values)})).outputs.at(0);
  };
  constexpr auto kMin = std::numeric_limits<std::int32_t>::min(), kMax = std::numeric_limits<std::int32_t>::max();
  CHECK(values_of<std::int8_t>(cast_to(INT8)) ==
        std::vector<std::int8_t>{1, -1, 0, 0, 127, -128, 127, -128, 127, -128});
  CHECK(values_of<std::int32_t>(cast_to(INT32)) ==
        std::vector<std::int32_t>{1, -1, 0, 0, kMax, kMin, 300, -300, kMax, kMin});
}

TEST_CASE("RELU cuts off below the zero point, in the output's steps") {
  TfliteFile file;
  const int in = file.input(INT8, {5}, {0.5F}, {-1});
  const int out = file.tensor(INT8, {5}, {0.25F}, {3});
  file.op(kRelu, {in}, {out}).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {5}, {-3, -1, 1, 5, 127});
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs[0]) ==
        std::vector<std::int8_t>{3, 3, 7, 15, 127});
}

TEST_CASE("L2_NORMALIZATION of one step is 1, and of nothing 0") {
  constexpr int kL2Normalization = 11;
  TfliteFile file;
  const int in = file.input(INT8, {3, 3}, {0.5F}, {4});
  const int out = file.tensor(INT8, {3, 3}, {1.0F / 128});
  file.op(kL2Normalization, {in}, {out}, fb::L2NormOptionsT{}).output(out);
  const auto values = tensor_of<std::int8_t>(DType::kINT8, {3, 3}, {4, 3, 4, 4, 4, 4, 7, 4, 8});
  // 3 / 5 and 4 / 5 of 128.
  CHECK(values_of<std::int8_t>(checked(run_file(file, {values})).outputs[0]) ==
        std::vector<std::int8_t>{0, -128, 0, 0, 0, 0, 77, 0, 102});
}

TEST_CASE("HARD_SWISH rounds its multiplier to 16 bits") {
  // In units of 2^-15 the ratio of the scales is 16511.75 of 64 values of the output to one of the input: 64.5 is 65.
  TfliteFile file;
  const int in = file.input(INT8, {1}, {6.0F}, {0});
  const int out = file.tensor(INT8, {1}, {6.0F / 128 * 32768 / 16511.75F}, {0});
  file.op(kHardSwish, {in}, {out}).output(out);
  const auto result = checked(run_file(file, {tensor_of<std::int8_t>(DType::kINT8, {1}, {1})}));
  CHECK(values_of<std::int8_t>(result.outputs.at(0)) == std::vector<std::int8_t>{64});
}

TEST_CASE("MEAN of floats is their sum over their number") {
  TfliteFile file;
  const int in = file.input(FLOAT32, {2, 3}), axis = file.constant<std::int32_t>(INT32, {1}, {1});
  const int out = file.tensor(FLOAT32, {2});
  file.op(kMean, {in, axis}, {out}, fb::ReducerOptionsT()).output(out);
  const auto values = tensor_of<float>(DType::kFP32, {2, 3}, {1, 2, 4.5F, -1, 0, 4});
  CHECK(values_of<float>(checked(run_file(file, {values})).outputs.at(0)) == std::vector<float>{2.5F, 1});
}

TEST_CASE("MEAN cuts its multiplier") {
  // 6 / 6 * 3.5 is a tie, and 3.5 / 6 is not a whole number of units of 2^-31: what is cut off it makes the result 3.
  TfliteFile file;
  const int in = file.input(INT8, {6}, {3.5F}, {0}), axis = file.constant<std::int32_t>(INT32, {1}, {0});
  const int out = file.tensor(INT8, {1}, {1.0F}, {0});
  fb::ReducerOptionsT options;
  options.keep_dims = true;
  file.op(kMean, {in, axis}, {out}, options).output(out);
  const auto result = checked(run_file(file, {tensor_of<std::int8_t>(DType::kINT8, {6}, {1, 1, 1, 1, 1, 1})}));
  CHECK(values_of<std::int8_t>(result.outputs.at(0)) == std::vector<std::int8_t>{3});
}
