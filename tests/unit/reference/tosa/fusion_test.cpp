#include <catch2/catch.hpp>

#include <random>

#include "tests/unit/reference/tosa/graph_builder.hpp"

// Operators that run as one, in tiles, give what each gives by itself: bytes, findings and errors. A run that shows the
// tensors between operators keeps them apart.

namespace macaw::tosa::test {
namespace {

Tensor bytes_of_seed(DType dtype, Shape shape, unsigned seed) {
  Tensor result(dtype, std::move(shape));
  std::mt19937 random(seed);
  for (auto& byte : result.bytes()) byte = static_cast<std::byte>(random());
  return result;
}

/// Appends operators, each to the one before it.
struct OperatorChain {
  GraphBuilder b;
  std::int64_t channels;
  Shape shape;
  ValueId last;
  int names = 0;

  OperatorChain(Shape in, std::int64_t out_channels) : channels(out_channels), shape(std::move(in)) {
    last = b.input("x", DType::kINT8, shape);
    shape.back() = channels;
  }

  ValueId next(DType dtype) { return b.value("v" + std::to_string(names++), dtype, shape); }
  ValueId zero(DType dtype) { return b.constant("zero" + std::to_string(names++), Tensor(dtype, {1})); }

  void convolve(Op op, Shape weights) {
    const auto weight = b.constant("weight", bytes_of_seed(DType::kINT8, std::move(weights), 1));
    Tensor biases = bytes_of_seed(DType::kINT32, {channels}, 2);
    for (auto& bias : biases.data<std::int32_t>()) bias >>= 16;
    const auto bias = b.constant("bias", std::move(biases));
    const auto in_zp = b.constant("in_zp", tensor<std::int8_t>(DType::kINT8, {1}, {-3})),
               weight_zp = zero(DType::kINT8);
    const auto sums = next(DType::kINT32);
    auto& conv = b.add(op, {last, weight, bias, in_zp, weight_zp}, {sums});
    conv.set(Attr::k_pad, std::vector<std::int64_t>(4, 1));
    conv.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
    conv.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
    conv.set(Attr::k_local_bound, std::int64_t{0});
    conv.set(Attr::k_acc_type, std::int64_t(DType::kINT32));
    last = sums;
  }

  void rescale(DType from, DType to, bool per_channel, std::int8_t least_shift, bool twice = false) {
    const auto count = per_channel ? channels : 1;
    std::vector<std::int32_t> multipliers;
    std::vector<std::int8_t> shifts;
    for (std::int64_t i = 0; i < count; ++i) {
      multipliers.push_back(static_cast<std::int32_t>((1 << 30) + i * 7654321 % (1 << 30)));
      shifts.push_back(static_cast<std::int8_t>(least_shift + i % 3));
    }
    const auto multiplier = b.constant("m" + std::to_string(names++), tensor(DType::kINT32, {count}, multipliers));
    const auto shift = b.constant("s" + std::to_string(names++), tensor(DType::kINT8, {count}, shifts));
    const auto in_zp = zero(from), out_zp = zero(to), y = next(to);
    auto& op = b.add(Op::kRESCALE, {last, multiplier, shift, in_zp, out_zp}, {y});
    op.set(Attr::k_scale32, std::int64_t{1});
    op.set(Attr::k_rounding_mode, std::int64_t(twice ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound));
    op.set(Attr::k_per_channel, std::int64_t{per_channel});
    op.set(Attr::k_input_unsigned, std::int64_t{0});
    op.set(Attr::k_output_unsigned, std::int64_t{0});
    last = y;
  }

  void clamp() {
    const auto y = next(DType::kINT8);
    auto& op = b.add(Op::kCLAMP, {last}, {y});
    op.set(Attr::k_min_val, std::vector{std::byte{0xe0}});
    op.set(Attr::k_max_val, std::vector{std::byte{0x60}});
    op.set(Attr::k_nan_mode, std::int64_t(NanMode::kPropagate));
    last = y;
  }

  void add(ValueId left, ValueId right) {
    const auto y = next(DType::kINT32);
    b.add(Op::kADD, {left, right}, {y});
    last = y;
  }
};

Result<RunResult> run_twice(const GraphBuilder& b, const std::vector<Tensor>& inputs, const Options& options) {
  Interpreter interpreter(b.graph(), options);
  (void)interpreter.run(inputs);
  return interpreter.run(inputs);
}

/// As one, on some threads, against one by one.
void check_chain(OperatorChain& chain, Status status) {
  chain.b.output(chain.last);
  const std::vector<Tensor> inputs{
      bytes_of_seed(DType::kINT8, *chain.b.block.values[chain.b.block.inputs[0]].shape, 9)};
  Options apart;
  apart.threads = 1;
  apart.kernels = Kernels::kScalar;
  const auto expected = run_twice(chain.b, inputs, apart);
  REQUIRE(expected);
  CHECK(expected->verdict.status() == status);
  for (const int threads : {1, 2, 3})
    for (const bool share_all : {false, true})
      for (const bool shown : {false, true}) {
        INFO(threads << " threads, shown " << shown);
        Options options;
        options.threads = threads;
        options.share_all = share_all;
        int seen = 0;
        if (shown) options.on_tensor = [&](const Value&, const Tensor& tensor) { seen += !tensor.bytes().empty(); };
        const auto got = run_twice(chain.b, inputs, options);
        REQUIRE(got);
        CHECK(got->outputs == expected->outputs);
        REQUIRE(got->verdict.findings.size() == expected->verdict.findings.size());
        for (std::size_t i = 0; i < got->verdict.findings.size(); ++i)
          CHECK(got->verdict.findings[i].to_string() == expected->verdict.findings[i].to_string());
        CHECK(seen == (shown ? 2 * static_cast<int>(chain.b.block.operators.size()) : 0));
      }
}

constexpr std::int64_t kChannelCounts[] = {1, 3, 8, 24, 33, 80};

}  // namespace

TEST_CASE("a convolution and what rescales its sums give the same as one and one by one") {
  for (const auto channels : kChannelCounts)
    for (const bool per_channel : {false, true})
      for (const bool is_small : {false, true}) {
        INFO(channels << " channels");
        // More channels than positions: threads share the channels.
        const std::int64_t extent = is_small ? 3 : 19;
        OperatorChain conv({1, extent, extent, 5}, channels);
        conv.convolve(Op::kCONV2D, {channels, 3, 3, 5});
        conv.rescale(DType::kINT32, DType::kINT8, per_channel, 38);
        conv.clamp();
        check_chain(conv, Status::kValid);
        OperatorChain depthwise({2, extent, extent, channels}, channels);
        depthwise.convolve(Op::kDEPTHWISE_CONV2D, {3, 3, channels, 1});
        depthwise.rescale(DType::kINT32, DType::kINT8, per_channel, 38, true);
        check_chain(depthwise, Status::kValid);
      }
}

TEST_CASE("an addition of rescaled tensors gives the same as one and one by one") {
  for (const auto channels : kChannelCounts)
    for (const bool from_left : {false, true}) {
      INFO(channels << " channels");
      OperatorChain chain({1, 37, 29, channels}, channels);
      const auto x = chain.last;
      chain.rescale(DType::kINT8, DType::kINT32, false, 20);
      const auto first = chain.last;
      chain.last = x;
      chain.rescale(DType::kINT8, DType::kINT32, true, 21);
      from_left ? chain.add(chain.last, first) : chain.add(first, chain.last);
      chain.rescale(DType::kINT32, DType::kINT8, true, 43);
      chain.clamp();
      check_chain(chain, Status::kValid);
    }
}

TEST_CASE("operators that run as one report broken rules as one by one, in their order") {
  for (const std::int8_t shift : {std::int8_t{1}, std::int8_t{3}}) {
    INFO("shift " << int{shift});
    OperatorChain chain({1, 9, 9, 24}, 24);
    chain.convolve(Op::kCONV2D, {24, 3, 3, 24});
    chain.rescale(DType::kINT32, DType::kINT32, true, shift);  // 1 is not a shift; with 3 values are out of range
    const auto scaled = chain.last;
    chain.rescale(DType::kINT32, DType::kINT32, false, 2);
    chain.add(chain.last, scaled);
    chain.rescale(DType::kINT32, DType::kINT8, false, 40);
    check_chain(chain, Status::kUnpredictable);
  }
}

TEST_CASE("any number of operators in a row gives the same as one by one") {
  for (const int count : {15, 16, 17, 33, 3000}) {
    INFO(count << " operators");
    OperatorChain chain({1, 3, 3, 8}, 8);
    for (int i = 0; i < count; ++i) chain.clamp();
    check_chain(chain, Status::kValid);
  }
}

TEST_CASE("sums that are rescaled at once are nowhere as a whole") {
  OperatorChain chain({1, 128, 128, 16}, 16);
  chain.convolve(Op::kCONV2D, {16, 3, 3, 16});
  chain.rescale(DType::kINT32, DType::kINT8, true, 38);
  chain.b.output(chain.last);
  Options options;
  options.threads = 1;
  const std::vector<Tensor> inputs{bytes_of_seed(DType::kINT8, {1, 128, 128, 16}, 9)};
  const auto as_one = run(chain.b.graph(), inputs, options);
  options.keep_intermediates = true;
  const auto apart = run(chain.b.graph(), inputs, options);
  REQUIRE((as_one && apart));
  const std::int64_t bytes = 128 * 128 * 16;
  CHECK(apart->stats.peak_bytes >= 5 * bytes);
  CHECK(as_one->stats.peak_bytes < 4 * bytes);
}

}  // namespace macaw::tosa::test
