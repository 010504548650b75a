#include <cstdlib>

#include "tests/unit/reference/tosa/op/harness.hpp"

// RESCALE of every INT8 and INT16 value by many multipliers and shifts against 128-bit arithmetic.
// MACAW_RESCALE_PAIRS=10000 asks for more pairs than the default.

namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
__extension__ using Int128 = __int128;

std::size_t pair_count() {
  const char* text = std::getenv("MACAW_RESCALE_PAIRS");
  return text ? std::strtoull(text, nullptr, 10) : 160;
}

/// The nearest whole number to value * multiplier / 2^shift, halves up; with double rounding first to a multiple of
/// 2^(31 - shift), halves away from zero, as far as the shift reaches beyond 31.
int64_t scaled(int64_t value, int64_t multiplier, int shift, bool twice) {
  Int128 product = Int128{value} * multiplier;
  const Int128 unit = Int128{1} << shift;
  if (twice && shift > 31) product += value >= 0 ? Int128{1} << 30 : -(Int128{1} << 30);
  product += unit / 2;
  Int128 quotient = product / unit;
  if (product % unit < 0) --quotient;
  return static_cast<int64_t>(quotient);
}

struct Pairs {
  Tensor multipliers, shifts;
};

/// Multipliers with all their ends, shifts that allow every value below 2^bits in magnitude.
Pairs random_pairs(Random& random, std::int64_t count, int bits) {
  Pairs pairs{Tensor(DType::kINT32, {count}), Tensor(DType::kINT8, {count})};
  for (auto& multiplier : pairs.multipliers.data<int32_t>()) {
    const auto kind = pick(random, 0, 9);
    multiplier = static_cast<int32_t>(kind == 0   ? pick(random, 0, 3)
                                      : kind == 1 ? INT32_MAX - pick(random, 0, 3)
                                      : kind == 2 ? int64_t{1} << pick(random, 0, 30)
                                                  : pick(random, 0, INT32_MAX));
  }
  for (auto& shift : pairs.shifts.data<int8_t>()) shift = static_cast<int8_t>(pick(random, bits + 1, 62));
  return pairs;
}

template <class In, class Out>
void check_all(DType in_type, DType out_type, std::uint64_t seed) {
  Random random(seed);
  constexpr std::int64_t kChannels = 16;
  constexpr std::int64_t kLow = std::numeric_limits<In>::min(), kCount = std::int64_t{1} << (8 * sizeof(In));
  Tensor input(in_type, {kCount, kChannels});
  for (std::size_t i = 0; i < input.data<In>().size(); ++i)
    input.data<In>()[i] = static_cast<In>(kLow + static_cast<std::int64_t>(i) / kChannels);
  for (std::size_t done = 0; done < pair_count(); done += kChannels) {
    const bool twice = done % (2 * kChannels) != 0;
    const auto in_zp = sizeof(In) == 1 ? pick(random, -128, 127) : 0,
               out_zp = sizeof(Out) == 1 ? pick(random, -128, 127) : 0;
    const auto [multipliers, shifts] = random_pairs(random, kChannels, 8 * sizeof(In));
    const auto outcome =
        run_operator(Op::kRESCALE,
                     {input, multipliers, shifts, make<In>(in_type, {1}, {static_cast<In>(in_zp)}),
                      make<Out>(out_type, {1}, {static_cast<Out>(out_zp)})},
                     {out_type, {kCount, kChannels}},
                     {{Attr::k_scale32, int64_t{1}},
                      {Attr::k_rounding_mode, int64_t(twice ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound)},
                      {Attr::k_per_channel, int64_t{1}},
                      {Attr::k_input_unsigned, int64_t{0}},
                      {Attr::k_output_unsigned, int64_t{0}}});
    REQUIRE(outcome.broken.empty());
    REQUIRE(outcome.findings.empty());
    const auto got = outcome.output.template data<Out>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto multiplier = multipliers.data<int32_t>()[i % kChannels];
      const auto shift = shifts.data<int8_t>()[i % kChannels];
      const auto want = std::clamp<int64_t>(scaled(input.data<In>()[i] - in_zp, multiplier, shift, twice) + out_zp,
                                            std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max());
      if (got[i] != want)
        FAIL("value " << int64_t{input.data<In>()[i]} << " zero points " << in_zp << " " << out_zp << " multiplier "
                      << multiplier << " shift " << int{shift} << (twice ? " double" : " single") << ": "
                      << int64_t{got[i]} << " is not " << want);
    }
  }
}

}  // namespace

TEST_CASE("RESCALE of every INT8 value") {
  check_all<int8_t, int8_t>(DType::kINT8, DType::kINT8, 1);
  check_all<int8_t, int16_t>(DType::kINT8, DType::kINT16, 2);
  check_all<int8_t, int32_t>(DType::kINT8, DType::kINT32, 3);
}

TEST_CASE("RESCALE of every INT16 value") {
  check_all<int16_t, int8_t>(DType::kINT16, DType::kINT8, 4);
  check_all<int16_t, int16_t>(DType::kINT16, DType::kINT16, 5);
  check_all<int16_t, int32_t>(DType::kINT16, DType::kINT32, 6);
}

TEST_CASE("RESCALE tells values outside the range that a shift allows") {
  for (int shift = 2; shift <= 16; ++shift)
    for (const int64_t value : {(int64_t{1} << (shift - 1)) - 1, int64_t{1} << (shift - 1),
                                -(int64_t{1} << (shift - 1)), -(int64_t{1} << (shift - 1)) - 1}) {
      if (value < INT16_MIN || value > INT16_MAX) continue;
      INFO(value << " by " << shift);
      const auto outcome = run_operator(
          Op::kRESCALE,
          {make<int16_t>(DType::kINT16, {1}, {static_cast<int16_t>(value)}), make<int32_t>(DType::kINT32, {1}, {3}),
           make<int8_t>(DType::kINT8, {1}, {static_cast<int8_t>(shift)}), make<int16_t>(DType::kINT16, {1}, {0}),
           make<int32_t>(DType::kINT32, {1}, {0})},
          {DType::kINT32, {1}},
          {{Attr::k_scale32, int64_t{1}},
           {Attr::k_rounding_mode, int64_t(RoundingMode::kSingleRound)},
           {Attr::k_per_channel, int64_t{0}},
           {Attr::k_input_unsigned, int64_t{0}},
           {Attr::k_output_unsigned, int64_t{0}}});
      const bool inside = value >= -(int64_t{1} << (shift - 1)) && value < int64_t{1} << (shift - 1);
      CHECK(outcome.findings.empty() == inside);
      if (inside) CHECK(outcome.output.data<int32_t>()[0] == scaled(value, 3, shift, false));
    }
}

}  // namespace macaw::tosa
