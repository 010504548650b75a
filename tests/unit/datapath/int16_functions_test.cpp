#include "tests/unit/datapath/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

// TANH and LOGISTIC of every int16 input on the three families, against their definition in TFLite's int16 reference:
// a half table of the sigmoid at steps of 1/24, straight lines between its values, saturation from the last value on,
// and the other half by symmetry (tensorflow/lite/kernels/internal/common.cc, sigmoid_table_uint16;
// reference/integer_ops/logistic.h and tanh.h).

using namespace macaw;
using namespace macaw::npu;
using namespace macaw::npu::test;

namespace {

constexpr int kLast = 255;

/// TFLite's table: the sigmoid in units of 2^-16, rounded; these entries are one above that.
std::int64_t table_value(int i) {
  static constexpr int kAbove[] = {4,  8,  12, 14, 15, 16, 17, 19, 20,  21,  22,  25,  27,  28, 29,
                                   30, 31, 33, 34, 35, 37, 39, 40, 41,  43,  44,  45,  46,  49, 50,
                                   54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255};
  const auto rounded = std::llround(65536.0 / (1.0 + std::exp(-i / 24.0)));
  return rounded + (std::find(std::begin(kAbove), std::end(kAbove), i) != std::end(kAbove) ? 1 : 0);
}

/// The sigmoid of v >= 0 in units of 2^-16; `steps` of v are 1/24. Exact: no value needs more than 26 bits.
double half_sigmoid(std::int64_t v, int steps) {
  const std::int64_t i = v / steps;
  if (i >= kLast) return 65534.0 + (steps == 256 ? 1.0 : 0.0);  // 0x7FFF << 10 and 0xFFFF << 8 of the reference
  const double fraction = static_cast<double>(v % steps) / steps;
  const auto at = static_cast<double>(table_value(static_cast<int>(i)));
  return at + fraction * (static_cast<double>(table_value(static_cast<int>(i) + 1)) - at);
}

/// Results in units of 2^-15; arguments in units of 1/(3*4096).
std::int64_t logistic(std::int64_t v) {
  const auto upper = static_cast<std::int64_t>(std::floor(half_sigmoid(std::abs(v), 512) / 2 + 0.5));
  return v >= 0 ? upper : 32768 - upper;
}
std::int64_t tanh(std::int64_t v) {
  const auto upper = static_cast<std::int64_t>(std::floor(half_sigmoid(std::abs(v), 256) - 32768 + 0.5));
  return v >= 0 ? upper : -upper;
}

/// The table that U85 interpolates: base and slope of 512 segments from -256/24 on. The lowest segment of the sigmoid
/// rises as its neighbour does, and that of tanh is flat, as Vela writes them.
std::vector<std::uint8_t> segments(bool sigmoid) {
  const auto value = [](int i) {
    const std::int64_t half = table_value(std::min(std::abs(i), kLast)) - 32768;
    return i >= 0 ? half : -half;
  };
  std::vector<std::int16_t> words;
  for (int i = -256; i < 256; ++i) {
    const int from = i == -256 && sigmoid ? -kLast : i;
    words.push_back(static_cast<std::int16_t>(value(from)));
    words.push_back(static_cast<std::int16_t>(value(from + 1) - value(from)));
  }
  std::vector<std::uint8_t> bytes(2 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// Inputs whose result is not the definition's, of all there are.
int differing(const char* accelerator, bool sigmoid, const Scaling& scaling) {
  Bench bench(accelerator);
  bench.arena.resize(std::size_t{1} << 18);
  BlockOperation op = operation(OpKind::kPool, feature_map(0, 256, 256, 1, 16), feature_map(1 << 17, 256, 256, 1, 16));
  op.family = bench.accelerator->family;
  const bool u85 = op.family == Family::kU85;
  op.pool = u85 ? PoolMode::kSum : PoolMode::kAverage;
  op.ofm_scale = scaling;
  op.activation.function = sigmoid ? ActivationFunction::kSigmoid : ActivationFunction::kTanh;
  op.activation.form = sigmoid ? TableForm::kSigmoid : TableForm::kTanh;
  if (u85) {
    op.ublock = {2, 2, 8};
    const auto table = segments(sigmoid);
    std::copy(table.begin(), table.end(), bench.internal.begin());
  }
  std::vector<std::int64_t> inputs(65536);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<std::int64_t>(i) - 32768;
  write(bench, op.ifm, inputs);
  const auto done = bench.run(op);
  INFO((done ? "" : done.error().to_string()));
  REQUIRE(done);
  const auto results = read(bench, op.ofm);
  int count = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto half = scaling.shift > 0 ? std::int64_t{1} << (scaling.shift - 1) : 0;
    const std::int64_t v = (inputs[i] * scaling.scale + half) >> scaling.shift;
    count += results[i] != (sigmoid ? logistic(v) : tanh(v)) ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("every int16 input of TANH and LOGISTIC gives TFLite's result on the three families") {
  // Times 6 and 11.43 saturates, times 1 and 1.5 does not; the second is what Vela writes for a detector's network.
  for (const char* accelerator : {"ethos-u55-128", "ethos-u65-512", "ethos-u85-256"})
    for (const Scaling& scaling : {Scaling{0x6000, 12}, Scaling{0x5b76, 11}, Scaling{1, 0}, Scaling{3, 1}}) {
      INFO(accelerator << ", times " << scaling.scale << " >> " << scaling.shift);
      CHECK(differing(accelerator, true, scaling) == 0);
      CHECK(differing(accelerator, false, scaling) == 0);
    }
}
