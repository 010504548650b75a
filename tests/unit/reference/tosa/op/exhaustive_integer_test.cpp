#include <functional>

#include "tests/unit/reference/tosa/op/harness.hpp"

// Every pair of 8-bit operands, every 16-bit index. ADD, SUB, MAXIMUM and MINIMUM have no 8-bit types; they take the
// pairs as INT32.

namespace macaw::tosa {
namespace {

/// All 65,536 pairs, the first operand changing slowest.
template <class T>
std::pair<Tensor, Tensor> all_pairs(DType dtype) {
  Tensor a(dtype, {256, 256}), b(dtype, {256, 256});
  for (std::size_t i = 0; i < 65536; ++i) {
    a.data<T>()[i] = static_cast<T>(static_cast<int>(i / 256) - 128);
    b.data<T>()[i] = static_cast<T>(static_cast<int>(i % 256) - 128);
  }
  return {a, b};
}

template <class Out>
void check_pairs(const Tensor& output, const std::function<int(int, int)>& expected) {
  const auto data = output.data<Out>();
  REQUIRE(data.size() == 65536);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const int a = static_cast<int>(i / 256) - 128, b = static_cast<int>(i % 256) - 128;
    if (data[i] != expected(a, b)) FAIL("of " << a << " and " << b << ": " << int{data[i]});
  }
}

}  // namespace

TEST_CASE("arithmetic of every pair of 8-bit numbers") {
  struct Case {
    Op op;
    std::function<int(int, int)> expected;
  };
  const Case cases[] = {
      {Op::kADD, [](int a, int b) { return a + b; }},
      {Op::kSUB, [](int a, int b) { return a - b; }},
      {Op::kMAXIMUM, [](int a, int b) { return a > b ? a : b; }},
      {Op::kMINIMUM, [](int a, int b) { return a < b ? a : b; }},
      {Op::kBITWISE_AND, [](int a, int b) { return a & b; }},
      {Op::kBITWISE_OR, [](int a, int b) { return a | b; }},
      {Op::kBITWISE_XOR, [](int a, int b) { return a ^ b; }},
  };
  const auto [a, b] = all_pairs<std::int32_t>(DType::kINT32);
  for (const auto& [op, expected] : cases) {
    INFO(to_string(op));
    const auto outcome = run_operator(op, {a, b}, {DType::kINT32, {256, 256}});
    CHECK(outcome.findings.empty());
    check_pairs<std::int32_t>(outcome.output, expected);
  }
}

TEST_CASE("products of every pair of INT8 numbers") {
  const auto [a, b] = all_pairs<std::int8_t>(DType::kINT8);
  const auto no_shift = make<std::int8_t>(DType::kINT8, {1}, {0});
  const auto outcome = run_operator(Op::kMUL, {a, b, no_shift}, {DType::kINT32, {256, 256}});
  CHECK(outcome.findings.empty());
  check_pairs<std::int32_t>(outcome.output, [](int x, int y) { return x * y; });
}

TEST_CASE("shifts of every pair of INT8 numbers") {
  struct Case {
    Op op;
    bool round;
    std::function<int(int, int)> expected;
  };
  const auto floor_shift = [](int a, int b) { return (a - (((a % (1 << b)) + (1 << b)) % (1 << b))) / (1 << b); };
  const auto low_bits = [](int x) { return (x & 0xFF) > 127 ? (x & 0xFF) - 256 : x & 0xFF; };
  const Case cases[] = {
      {Op::kARITHMETIC_RIGHT_SHIFT, false, floor_shift},
      {Op::kARITHMETIC_RIGHT_SHIFT, true,
       [&](int a, int b) { return b == 0 ? a : floor_shift(a + (1 << (b - 1)), b); }},
      {Op::kLOGICAL_RIGHT_SHIFT, false, [&](int a, int b) { return low_bits((a & 0xFF) / (1 << b)); }},
      {Op::kLOGICAL_LEFT_SHIFT, false, [&](int a, int b) { return low_bits(a * (1 << b)); }},
  };
  Tensor values(DType::kINT8, {256});
  for (std::size_t i = 0; i < 256; ++i) values.data<std::int8_t>()[i] = static_cast<std::int8_t>(i);
  for (const auto& [op, round, expected] : cases)
    for (int by = -128; by < 128; ++by) {
      INFO(to_string(op) << " by " << by << (round ? ", rounded" : ""));
      Attributes attributes;
      if (op == Op::kARITHMETIC_RIGHT_SHIFT) attributes = {{Attr::k_round, std::int64_t{round}}};
      const auto shift = make<std::int8_t>(DType::kINT8, {1}, {static_cast<std::int8_t>(by)});
      const auto outcome = run_operator(op, {values, shift}, {DType::kINT8, {256}}, attributes);
      REQUIRE(outcome.findings.empty() == (by >= 0 && by <= 7));
      if (!outcome.findings.empty()) continue;
      for (std::size_t i = 0; i < 256; ++i) {
        const int value = values.data<std::int8_t>()[i];
        if (outcome.output.data<std::int8_t>()[i] != expected(value, by)) FAIL("of " << value);
      }
    }
}

TEST_CASE("TABLE interpolates between its entries for every INT16 input") {
  Random random(3);
  Tensor inputs(DType::kINT16, {65536});
  for (int i = 0; i < 65536; ++i)
    inputs.data<std::int16_t>()[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(i - 32768);
  for (const bool steep : {false, true}) {
    // Neighbours may differ by an int16 at most; `steep` comes close to it.
    Tensor table(DType::kINT16, {513});
    std::int64_t previous = 0;
    for (auto& entry : table.data<std::int16_t>()) {
      const auto value = steep ? pick(random, -32768, 32767) : pick(random, previous - 500, previous + 500);
      previous =
          std::clamp<std::int64_t>(std::clamp<std::int64_t>(value, previous - 32768, previous + 32767), -32768, 32767);
      entry = static_cast<std::int16_t>(previous);
    }
    const auto outcome = run_operator(Op::kTABLE, {inputs, table}, {DType::kINT32, {65536}});
    REQUIRE(outcome.findings.empty());
    const auto entries = table.data<std::int16_t>();
    for (std::size_t i = 0; i < 65536; ++i) {
      // Position i lies i % 128 of 128 between entries i / 128 and the next; results have 7 bits after the point.
      const int left = entries[i / 128], right = entries[i / 128 + 1], way = static_cast<int>(i % 128);
      if (outcome.output.data<std::int32_t>()[i] != left * (128 - way) + right * way) FAIL("at " << i);
    }
  }
}

TEST_CASE("TABLE of every INT8 input") {
  Random random(4);
  const auto table = random_int8(random, {256});
  Tensor inputs(DType::kINT8, {256});
  for (int i = 0; i < 256; ++i)
    inputs.data<std::int8_t>()[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
  CHECK(run_operator(Op::kTABLE, {inputs, table}, {DType::kINT8, {256}}).output == table);
}

}  // namespace macaw::tosa
