#include <catch2/catch.hpp>

#include "tests/unit/reference/tosa/graph_builder.hpp"

namespace macaw::tosa::test {
namespace {

constexpr std::int64_t kSize = 1 << 20;

ValueId bytes(GraphBuilder& b, std::string name) { return b.value(std::move(name), DType::kINT8, {kSize}); }

std::int64_t peak(const GraphBuilder& b, std::vector<Tensor> inputs) {
  Options options;
  options.threads = 1;
  const auto result = run(b.graph(kVersion1_1), std::move(inputs), options);
  REQUIRE(result);
  REQUIRE(result->verdict.status() == Status::kValid);
  return result->stats.peak_bytes;
}

/// Not less than what must be there, and at most a fifth more.
void check_peak(std::int64_t got, std::int64_t needed) {
  CHECK(got >= needed);
  CHECK(got <= needed + needed / 5);
}

}  // namespace

TEST_CASE("a chain holds two of its tensors at a time") {
  GraphBuilder b;
  auto last = b.input("x", DType::kINT8, {kSize});
  for (int i = 0; i < 8; ++i) {
    const auto next = bytes(b, "v" + std::to_string(i));
    b.add(Op::kBITWISE_NOT, {last}, {next});
    last = next;
  }
  b.output(last);
  check_peak(peak(b, {Tensor(DType::kINT8, {kSize})}), 2 * kSize);
}

TEST_CASE("a chain of narrow floats holds no wide copies of them") {
  for (const auto dtype : {DType::kFP16, DType::kBF16}) {
    GraphBuilder b;
    auto last = b.input("x", dtype, {1, kSize / 64, 64});
    const auto channels = b.constant("channels", Tensor(dtype, {1, 1, 64}));
    const auto add = [&](Op op, std::vector<ValueId> inputs) -> Operator& {
      last = b.value("v" + std::to_string(b.block.values.size()), dtype, {1, kSize / 64, 64});
      return b.add(op, std::move(inputs), {last});
    };
    add(Op::kADD, {last, channels});
    add(Op::kTANH, {last});
    add(Op::kMAXIMUM, {last, channels}).set(Attr::k_nan_mode, std::int64_t{0});
    add(Op::kEXP, {last});
    add(Op::kFLOOR, {last});
    const auto greatest = b.value("greatest", dtype, {1, 1, 64});
    auto& reduce = b.add(Op::kREDUCE_MAX, {last}, {greatest});
    reduce.set(Attr::k_axis, std::int64_t{1});
    reduce.set(Attr::k_nan_mode, std::int64_t{0});
    b.output(greatest);
    check_peak(peak(b, {Tensor(dtype, {1, kSize / 64, 64})}), 2 * 2 * kSize);
  }
}

TEST_CASE("casts to and from blocks hold no wide copies") {
  constexpr auto kBlocks = DType::kBS32_FP8UE8M0_FP4E2M1;
  const Shape shape{kSize / 64, 64};
  const auto bytes = *byte_count(kBlocks, shape);
  for (const bool to_blocks : {true, false}) {
    const auto from = to_blocks ? DType::kBF16 : kBlocks, to = to_blocks ? kBlocks : DType::kBF16;
    GraphBuilder b;
    const auto x = b.input("x", from, shape), y = b.value("y", to, shape);
    b.add(Op::kCAST, {x}, {y});
    b.output(y);
    check_peak(peak(b, {Tensor(from, shape)}), bytes + 2 * kSize);
  }
}

TEST_CASE("a diamond holds what is still to be read, and the constants") {
  GraphBuilder b;
  const auto x = b.input("x", DType::kINT8, {kSize});
  const auto mask = b.constant("mask", Tensor(DType::kINT8, {kSize}));
  const auto left = bytes(b, "left"), right = bytes(b, "right"), join = bytes(b, "join"), y = bytes(b, "y");
  b.add(Op::kBITWISE_NOT, {x}, {left});
  b.add(Op::kBITWISE_AND, {x, mask}, {right});
  b.add(Op::kBITWISE_OR, {left, right}, {join});
  b.add(Op::kBITWISE_NOT, {join}, {y});
  b.output(y);
  // The mask, and x, left and right, or left, right and join.
  check_peak(peak(b, {Tensor(DType::kINT8, {kSize})}), 4 * kSize);
}

TEST_CASE("a convolution works in little more than its operands") {
  struct Types {
    DType in, weight, out, sum, in_zp, weight_zp;
  };
  constexpr auto kBlocks = DType::kBS32_FP8UE8M0_FP8E4M3, kInt8 = DType::kINT8, kInt16 = DType::kINT16,
                 kInt32 = DType::kINT32, kInt48 = DType::kINT48, kHalf = DType::kFP16, kFloat = DType::kFP32;
  constexpr Types kTypes[] = {{kInt8, kInt8, kInt32, kInt32, kInt8, kInt8},
                              {kInt16, kInt8, kInt48, kInt48, kInt16, kInt8},
                              {kHalf, kHalf, kHalf, kHalf, kHalf, kHalf},
                              {kFloat, kFloat, kFloat, kFloat, kFloat, kFloat},
                              {kBlocks, kBlocks, kHalf, kFloat, kFloat, kFloat}};
  for (const auto& [in, weight, out, sum, in_zp_type, weight_zp_type] : kTypes) {
    INFO(to_string(in));
    constexpr std::int64_t kExtent = 128, kIn = 32, kOut = 64;
    GraphBuilder b;
    const Shape shape{1, kExtent, kExtent, kIn};
    const auto x = b.input("x", in, shape);
    const auto weights = b.constant("weight", Tensor(weight, {kOut, 3, 3, kIn}));
    const auto bias = b.constant("bias", Tensor(out, {1}));
    const auto in_zp = b.constant("in_zp", Tensor(in_zp_type, {1})),
               weight_zp = b.constant("weight_zp", Tensor(weight_zp_type, {1}));
    const auto y = b.value("y", out, {1, kExtent, kExtent, kOut});
    auto& conv = b.add(Op::kCONV2D, {x, weights, bias, in_zp, weight_zp}, {y});
    conv.set(Attr::k_pad, std::vector<std::int64_t>(4, 1));
    conv.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
    conv.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
    conv.set(Attr::k_local_bound, std::int64_t{0});
    conv.set(Attr::k_acc_type, std::int64_t(sum));
    b.output(y);
    const Tensor operand(in, shape), kernel(weight, {kOut, 3, 3, kIn}), result(out, {1, kExtent, kExtent, kOut});
    check_peak(peak(b, {operand}),
               std::ssize(operand.bytes()) + std::ssize(kernel.bytes()) + std::ssize(result.bytes()));
  }
}

TEST_CASE("a product of matrices works in little more than its operands") {
  struct Types {
    DType in, out;
  };
  constexpr Types kTypes[] = {{DType::kINT8, DType::kINT32},
                              {DType::kINT16, DType::kINT48},
                              {DType::kFP16, DType::kFP32},
                              {DType::kFP32, DType::kFP32}};
  for (const auto& [in, out] : kTypes) {
    INFO(to_string(in));
    const Shape shape{1, 1024, 1024};
    GraphBuilder b;
    const auto left = b.input("a", in, shape), right = b.input("b", in, shape);
    const auto zero = b.constant("zero", Tensor(in, {1}));
    const auto y = b.value("y", out, shape);
    b.add(Op::kMATMUL, {left, right, zero, zero}, {y});
    b.output(y);
    const Tensor operand(in, shape), result(out, shape);
    check_peak(peak(b, {operand, operand}), 2 * std::ssize(operand.bytes()) + std::ssize(result.bytes()));
  }
}

TEST_CASE("a Fourier transform works in little more than its operands") {
  // Larger than what is transformed at once.
  constexpr std::int64_t kExtent = 1024, kBytes = 4 * kExtent * kExtent;
  const Shape shape{1, kExtent, kExtent}, half{1, kExtent, kExtent / 2 + 1};
  const auto transform = [&](Op op, int inputs, const Shape& out) {
    GraphBuilder b;
    std::vector<ValueId> in;
    for (int i = 0; i < inputs; ++i) in.push_back(b.input("x" + std::to_string(i), DType::kFP32, shape));
    const auto real = b.value("real", DType::kFP32, out), imag = b.value("imag", DType::kFP32, out);
    auto& added = b.add(op, in, {real, imag});
    added.set(Attr::k_local_bound, std::int64_t{0});
    if (op == Op::kFFT2D) added.set(Attr::k_inverse, std::int64_t{0});
    b.output(real);
    b.output(imag);
    return peak(b, std::vector<Tensor>(static_cast<std::size_t>(inputs), Tensor(DType::kFP32, shape)));
  };
  check_peak(transform(Op::kFFT2D, 2, shape), 4 * kBytes);
  check_peak(transform(Op::kRFFT2D, 1, half), 2 * kBytes);
}

}  // namespace macaw::tosa::test
