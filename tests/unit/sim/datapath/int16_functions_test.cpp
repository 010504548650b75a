#include "tests/unit/sim/datapath/plain.hpp"

#include <algorithm>
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

/// The table that U85 interpolates: base and slope of 512 segments from -256/24 on. The lowest segment of the sigmoid
/// rises as its neighbour does, and that of tanh is flat, as Vela writes them.
std::vector<std::uint8_t> segments(bool sigmoid) {
  const auto value = [](int i) {
    const std::int64_t half = plain::table_value(std::min(std::abs(i), kLast)) - 32768;
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
    count += results[i] != (sigmoid ? plain::logistic(v) : plain::tanh(v)) ? 1 : 0;
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
