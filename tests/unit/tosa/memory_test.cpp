#include <catch2/catch.hpp>

#include "tests/unit/tosa/graph_builder.hpp"

namespace macaw::tosa::test {
namespace {

constexpr std::int64_t kSize = 1 << 20;

ValueId bytes(GraphBuilder& b, std::string name) { return b.value(std::move(name), DType::kINT8, {kSize}); }

std::int64_t peak(const GraphBuilder& b, Tensor input) {
  Options options;
  options.threads = 1;
  std::vector<Tensor> inputs;
  inputs.push_back(std::move(input));
  const auto result = run(b.graph(), std::move(inputs), options);
  REQUIRE(result);
  REQUIRE(result->verdict.status() == Status::kValid);
  REQUIRE(result->outputs.size() == 1);
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
  check_peak(peak(b, Tensor(DType::kINT8, {kSize})), 2 * kSize);
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
  check_peak(peak(b, Tensor(DType::kINT8, {kSize})), 4 * kSize);
}

TEST_CASE("a convolution works in little more than its operands") {
  for (const bool is_float : {false, true}) {
    const auto narrow = is_float ? DType::kFP32 : DType::kINT8, wide = is_float ? DType::kFP32 : DType::kINT32;
    GraphBuilder b;
    const Shape shape{1, 64, 64, 32};
    const auto x = b.input("x", narrow, shape);
    const auto weight = b.constant("weight", Tensor(narrow, {64, 3, 3, 32}));
    const auto bias = b.constant("bias", Tensor(wide, {1}));
    const auto zero = b.constant("zero", Tensor(narrow, {1}));
    const auto y = b.value("y", wide, {1, 64, 64, 64});
    auto& conv = b.add(Op::kCONV2D, {x, weight, bias, zero, zero}, {y});
    conv.set(Attr::k_pad, std::vector<std::int64_t>(4, 1));
    conv.set(Attr::k_stride, std::vector<std::int64_t>(2, 1));
    conv.set(Attr::k_dilation, std::vector<std::int64_t>(2, 1));
    conv.set(Attr::k_local_bound, std::int64_t{0});
    conv.set(Attr::k_acc_type, std::int64_t(wide));
    b.output(y);
    const std::int64_t size = is_float ? 4 : 1;
    check_peak(peak(b, Tensor(narrow, shape)), size * (64 * 64 * 32 + 64 * 9 * 32) + std::int64_t{4} * 64 * 64 * 64);
  }
}

}  // namespace macaw::tosa::test
