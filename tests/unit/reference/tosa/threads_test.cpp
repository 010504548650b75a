#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "tests/unit/reference/tosa/graph_builder.hpp"

// Operators give the same bytes for any number of threads. Shapes are odd, so that ranges of threads end within the
// kernels' blocks, and large enough for the operators to be shared.

namespace macaw::tosa::test {
namespace {

/// Elements of every value for integers; fp32 of many magnitudes, so that another order of a sum shows.
Tensor random_tensor(DType dtype, Shape shape, unsigned seed) {
  Tensor result(dtype, std::move(shape));
  std::mt19937 random(seed);
  if (dtype == DType::kFP32) {
    std::uniform_real_distribution<float> mantissa(-1, 1);
    std::uniform_int_distribution<int> exponent(-12, 12);
    for (auto& value : result.data<float>()) value = std::ldexp(mantissa(random), exponent(random));
  } else {
    for (auto& value : result.bytes()) value = static_cast<std::byte>(random());
  }
  return result;
}

std::vector<std::byte> run_on(const GraphBuilder& b, const std::vector<Tensor>& inputs, int threads) {
  Options options;
  options.threads = threads;
  const auto result = run(b.graph(), inputs, options);
  REQUIRE(result);
  REQUIRE(result->verdict.status() == Status::kValid);
  REQUIRE(result->outputs.size() == 1);
  const auto bytes = result->outputs.front().bytes();
  return {bytes.begin(), bytes.end()};
}

/// Threads and memory that an interpreter keeps, and hands over with itself, do not show.
void check_runs_again(const GraphBuilder& b, const std::vector<Tensor>& inputs, int threads,
                      const std::vector<std::byte>& expected) {
  Options options;
  options.threads = threads;
  Interpreter first(b.graph(), options);
  const auto check = [&](Interpreter& interpreter) {
    const auto result = interpreter.run(inputs);
    REQUIRE(result);
    CHECK(std::ranges::equal(result->outputs.at(0).bytes(), expected));
  };
  check(first);
  check(first);
  Interpreter second(std::move(first));
  check(second);
}

void check_threads(GraphBuilder& b, ValueId output) {
  b.output(output);
  std::vector<Tensor> inputs;
  for (const auto id : b.block.inputs) {
    const auto& value = b.block.values[id];
    inputs.push_back(random_tensor(value.dtype, *value.shape, static_cast<unsigned>(inputs.size())));
  }
  const auto expected = run_on(b, inputs, 1);
  // Not all of it zero or another constant.
  CHECK(std::ranges::adjacent_find(expected, std::ranges::not_equal_to()) != expected.end());
  for (const int threads : {2, 3, 8}) {
    INFO(threads << " threads");
    CHECK(run_on(b, inputs, threads) == expected);
  }
  check_runs_again(b, inputs, 3, expected);
}

const DType kNarrow[] = {DType::kINT8, DType::kINT16, DType::kFP32};
DType wide(DType narrow) {
  return narrow == DType::kINT8 ? DType::kINT32 : narrow == DType::kINT16 ? DType::kINT48 : narrow;
}

void check_convolution(Op op, DType narrow, const Shape& in, const Shape& weights, const Shape& out) {
  INFO(static_cast<int>(op) << ' ' << static_cast<int>(narrow));
  GraphBuilder b;
  const auto x = b.input("x", narrow, in);
  const auto of_weight = narrow == DType::kINT16 ? DType::kINT8 : narrow;
  const auto weight = b.constant("weight", random_tensor(of_weight, weights, 7));
  const auto bias = b.constant("bias", Tensor(wide(narrow), {1}));
  const auto zero = b.constant("zero", Tensor(narrow, {1})), weight_zero = b.constant("wz", Tensor(of_weight, {1}));
  const auto y = b.value("y", wide(narrow), out);
  auto& conv = b.add(op, {x, weight, bias, zero, weight_zero}, {y});
  conv.set(Attr::k_pad, std::vector<std::int64_t>{1, 1, 1, 1});
  conv.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
  conv.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
  conv.set(Attr::k_local_bound, std::int64_t{0});
  conv.set(Attr::k_acc_type, std::int64_t(wide(narrow)));
  check_threads(b, y);
}

}  // namespace

TEST_CASE("threads do not show in convolutions") {
  for (const auto narrow : kNarrow) {
    check_convolution(Op::kCONV2D, narrow, {2, 37, 41, 19}, {67, 3, 3, 19}, {2, 37, 41, 67});
    check_convolution(Op::kDEPTHWISE_CONV2D, narrow, {2, 61, 53, 67}, {3, 3, 67, 1}, {2, 61, 53, 67});
    check_convolution(Op::kDEPTHWISE_CONV2D, narrow, {1, 61, 53, 19}, {3, 3, 19, 3}, {1, 61, 53, 57});
  }
}

TEST_CASE("threads do not show in products of matrices") {
  for (const auto narrow : kNarrow) {
    GraphBuilder b;
    const auto left = b.input("a", narrow, {3, 331, 83}), right = b.input("b", narrow, {3, 83, 149});
    const auto zero = b.constant("zero", Tensor(narrow, {1}));
    const auto y = b.value("y", wide(narrow), {3, 331, 149});
    b.add(Op::kMATMUL, {left, right, zero, zero}, {y});
    check_threads(b, y);
  }
}

TEST_CASE("threads do not show in products of block-scaled values") {
  constexpr auto kValues = DType::kMXINT8, kScales = DType::kFP8UE8M0, kFloat = DType::kFP32;
  {
    GraphBuilder b;
    const auto left = b.input("a", kValues, {3, 131, 96}), left_scale = b.input("as", kScales, {3, 131, 3});
    const auto right = b.input("b", kValues, {3, 149, 96}), right_scale = b.input("bs", kScales, {3, 149, 3});
    const auto y = b.value("y", kFloat, {3, 131, 149});
    b.add(Op::kMATMUL_T_BLOCK_SCALED, {left, left_scale, right, right_scale}, {y})
        .set(Attr::k_block_size, std::int64_t{32});
    check_threads(b, y);
  }
  GraphBuilder b;
  const auto blocks = DType::kBS32_FP8UE8M0_MXINT8;
  const auto left = b.input("a", blocks, {3, 131, 96}), right = b.input("b", blocks, {1, 149, 96});
  const auto zero = b.constant("zero", Tensor(kFloat, {1}));
  const auto y = b.value("y", kFloat, {3, 131, 149});
  b.add(Op::kMATMUL_T, {left, right, zero, zero}, {y});
  check_threads(b, y);
}

TEST_CASE("threads do not show in elementwise operators") {
  for (const auto dtype : {DType::kFP32, DType::kFP16, DType::kBF16}) {
    INFO(to_string(dtype));
    GraphBuilder b;
    const Shape shape{3, 127, 7, 131};
    const auto left = b.input("a", dtype, {3, 127, 1, 131}), right = b.input("b", dtype, {3, 1, 7, 131}),
               channels = b.input("c", dtype, {1, 1, 1, 131});
    const auto sum = b.value("sum", dtype, shape), shifted = b.value("shifted", dtype, shape),
               y = b.value("y", dtype, shape);
    b.add(Op::kADD, {left, right}, {sum});
    b.add(Op::kSUB, {sum, channels}, {shifted});
    b.add(Op::kTANH, {shifted}, {y});
    check_threads(b, y);
  }
}

TEST_CASE("threads do not show in CAST") {
  constexpr std::pair<DType, DType> kCasts[] = {{DType::kFP32, DType::kFP16},
                                                {DType::kFP16, DType::kFP8E4M3},
                                                {DType::kBF16, DType::kINT16},
                                                {DType::kINT32, DType::kBF16},
                                                {DType::kFP8E5M2, DType::kFP32},
                                                {DType::kFP32, DType::kBS32_FP8UE8M0_FP6E3M2},
                                                {DType::kBS32_FP8UE8M0_MXINT8, DType::kFP16}};
  for (const auto& [from, to] : kCasts) {
    INFO(to_string(from) << " to " << to_string(to));
    GraphBuilder b;
    const Shape shape{367, is_block_scale(from) || is_block_scale(to) ? 1056 : 1001};
    const auto x = b.input("x", from, shape), y = b.value("y", to, shape);
    b.add(Op::kCAST, {x}, {y});
    check_threads(b, y);
  }
}

TEST_CASE("threads do not show in reductions and ARGMAX") {
  for (const auto dtype : {DType::kFP32, DType::kFP16})
    for (const std::int64_t axis : {0, 1, 2}) {
      Shape shape{67, 131, 73};
      GraphBuilder b, largest;
      const auto x = b.input("x", dtype, shape), z = largest.input("x", dtype, shape);
      shape[static_cast<std::size_t>(axis)] = 1;
      const auto y = b.value("y", dtype, shape);
      b.add(Op::kREDUCE_SUM, {x}, {y}).set(Attr::k_axis, axis);
      check_threads(b, y);
      shape.erase(shape.begin() + axis);
      const auto index = largest.value("y", DType::kINT32, shape);
      auto& argmax = largest.add(Op::kARGMAX, {z}, {index});
      argmax.set(Attr::k_axis, axis);
      argmax.set(Attr::k_nan_mode, std::int64_t{0});
      check_threads(largest, index);
    }
}

TEST_CASE("threads do not show in pooling, RESIZE and FFT2D") {
  for (const auto dtype : {DType::kFP32, DType::kFP16}) {
    INFO(to_string(dtype));
    const Shape shape{2, 61, 53, 17};
    GraphBuilder pool, resize;
    const auto x = pool.input("x", dtype, shape), max = pool.value("max", dtype, shape),
               y = pool.value("y", dtype, shape);
    const auto zero = pool.constant("zero", Tensor(dtype, {1}));
    const auto window = [](Operator& op) -> Operator& {
      op.set(Attr::k_kernel, std::vector<std::int64_t>{3, 3});
      op.set(Attr::k_stride, std::vector<std::int64_t>{1, 1});
      op.set(Attr::k_pad, std::vector<std::int64_t>{1, 1, 1, 1});
      return op;
    };
    window(pool.add(Op::kMAX_POOL2D, {x}, {max})).set(Attr::k_nan_mode, std::int64_t{0});
    window(pool.add(Op::kAVG_POOL2D, {max, zero, zero}, {y}))
        .set(Attr::k_acc_type, static_cast<std::int64_t>(DType::kFP32));
    check_threads(pool, y);
    const auto small = resize.input("x", dtype, shape), large = resize.value("y", dtype, {2, 121, 105, 17});
    const auto parameter = [&](const char* name, const std::vector<std::int64_t>& values) {
      Tensor tensor(DType::kSHAPE, {std::ssize(values)});
      std::ranges::copy(values, tensor.data<std::int64_t>().begin());
      return resize.constant(name, std::move(tensor));
    };
    const auto scale = parameter("scale", {2, 1, 2, 1}), offset = parameter("offset", {0, 0}),
               border = parameter("border", {0, 0});
    resize.add(Op::kRESIZE, {small, scale, offset, border}, {large})
        .set(Attr::k_mode, static_cast<std::int64_t>(ResizeMode::kBilinear));
    check_threads(resize, large);
  }
  GraphBuilder b;
  const Shape shape{3, 128, 256};
  const auto real = b.input("real", DType::kFP32, shape), imag = b.input("imag", DType::kFP32, shape);
  const auto y = b.value("y", DType::kFP32, shape), other = b.value("other", DType::kFP32, shape);
  auto& fft = b.add(Op::kFFT2D, {real, imag}, {y, other});
  fft.set(Attr::k_inverse, std::int64_t{0});
  fft.set(Attr::k_local_bound, std::int64_t{0});
  check_threads(b, y);
}

}  // namespace macaw::tosa::test
