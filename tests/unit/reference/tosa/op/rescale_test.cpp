#include "tests/unit/reference/tosa/op/harness.hpp"

namespace macaw::tosa {
namespace {

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
__extension__ using Wide128 = __int128;

struct Setting {
  bool scale32 = true, double_round = false, from_unsigned = false, to_unsigned = false;
  int64_t multiplier = 1, shift = 2, in_zp = 0, out_zp = 0;
};

template <class In, class Out>
Outcome rescale(DType in_type, const std::vector<In>& values, DType out_type, const Setting& s) {
  const Shape shape{static_cast<int64_t>(values.size())};
  const auto multiplier = s.scale32 ? make<int32_t>(DType::kINT32, {1}, {static_cast<int32_t>(s.multiplier)})
                                    : make<int16_t>(DType::kINT16, {1}, {static_cast<int16_t>(s.multiplier)});
  return run_operator(
      Op::kRESCALE,
      {make(in_type, shape, values), multiplier, make<int8_t>(DType::kINT8, {1}, {static_cast<int8_t>(s.shift)}),
       make<In>(in_type, {1}, {static_cast<In>(s.in_zp)}), make<Out>(out_type, {1}, {static_cast<Out>(s.out_zp)})},
      {out_type, shape},
      {{Attr::k_scale32, int64_t{s.scale32}},
       {Attr::k_rounding_mode, int64_t{s.double_round ? 2 : 0}},
       {Attr::k_per_channel, int64_t{0}},
       {Attr::k_input_unsigned, int64_t{s.from_unsigned}},
       {Attr::k_output_unsigned, int64_t{s.to_unsigned}}});
}

Wide128 floor_divide(Wide128 a, Wide128 b) { return a / b - (a % b < 0 ? 1 : 0); }

/// value * multiplier / 2^shift rounded half up, or with double rounding to 1/2^31 away from zero first.
std::optional<int64_t> expected(int64_t value, const Setting& s, int64_t low, int64_t high) {
  if (s.multiplier < 0 || s.shift < 2 || s.shift > 62) return {};
  const auto limit = Wide128{1} << (s.shift - 1);
  if (s.scale32 && (value < -limit || value >= limit)) return {};
  Wide128 product = Wide128{value} * s.multiplier;
  if (s.double_round && s.shift > 31) product += value >= 0 ? Wide128{1} << 30 : -(Wide128{1} << 30);
  const auto result = floor_divide(product + limit, 2 * limit);
  if (result < INT32_MIN || result > INT32_MAX || result + s.out_zp < INT32_MIN || result + s.out_zp > INT32_MAX)
    return {};
  return std::clamp<int64_t>(static_cast<int64_t>(result) + s.out_zp, low, high);
}

template <class In, class Out>
void compare(DType in_type, const std::vector<In>& values, DType out_type, const Setting& s) {
  const int64_t low = s.to_unsigned ? 0 : int64_t{std::numeric_limits<Out>::min()};
  const int64_t high = s.to_unsigned ? int64_t{std::numeric_limits<std::make_unsigned_t<Out>>::max()}
                                     : int64_t{std::numeric_limits<Out>::max()};
  const auto outcome = rescale<In, Out>(in_type, values, out_type, s);
  REQUIRE(outcome.broken.empty());
  bool holds = true;
  int64_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto element =
        s.from_unsigned ? static_cast<int64_t>(static_cast<std::make_unsigned_t<In>>(values[i])) : int64_t{values[i]};
    const auto want = expected(element - s.in_zp, s, low, high);
    holds &= want.has_value();
    wrong += want && static_cast<Out>(*want) != outcome.output.template data<Out>()[i];
  }
  INFO("multiplier " << s.multiplier << " shift " << s.shift << " zero points " << s.in_zp << " " << s.out_zp);
  CHECK(wrong == 0);
  CHECK(outcome.findings.empty() == holds);
}

template <class T>
std::vector<T> range(int64_t low, int64_t high) {
  std::vector<T> values;
  for (auto i = low; i <= high; ++i) values.push_back(static_cast<T>(i));
  return values;
}

TEST_CASE("RESCALE over all int8 and int16 values") {
  Random random(13);
  const auto bytes = range<int8_t>(-128, 127);
  const auto shorts = range<int16_t>(-32768, 32767);
  for (int i = 0; i < 300; ++i) {
    Setting s;
    s.scale32 = pick(random, 0, 1) != 0;
    s.double_round = s.scale32 && pick(random, 0, 1) != 0;
    s.multiplier = s.scale32 ? pick(random, i % 10 == 0 ? -5 : 1 << 30, INT32_MAX) : pick(random, 1 << 14, 32767);
    s.shift = pick(random, i % 10 == 1 ? 0 : 2, i % 10 == 1 ? 70 : 62);
    auto narrow = s;
    narrow.in_zp = pick(random, -128, 127);
    narrow.out_zp = pick(random, -128, 127);
    compare<int8_t, int8_t>(DType::kINT8, bytes, DType::kINT8, narrow);
    auto unsigned_in = narrow, unsigned_out = narrow;
    unsigned_in.from_unsigned = unsigned_out.to_unsigned = true;
    unsigned_in.in_zp += 128;
    unsigned_out.out_zp += 128;
    compare<int8_t, int8_t>(DType::kINT8, bytes, DType::kINT8, unsigned_in);
    compare<int8_t, int8_t>(DType::kINT8, bytes, DType::kINT8, unsigned_out);
    if (i % 6 != 0) continue;
    compare<int16_t, int16_t>(DType::kINT16, shorts, DType::kINT16, s);
    compare<int16_t, int32_t>(DType::kINT16, shorts, DType::kINT32, s);
    auto uint16 = s;
    uint16.from_unsigned = true;
    uint16.in_zp = 32768;
    compare<int16_t, int8_t>(DType::kINT16, shorts, DType::kINT8, uint16);
  }
}

TEST_CASE("RESCALE of int32 and int48 at the edges") {
  Random random(14);
  for (int i = 0; i < 200; ++i) {
    std::vector<int32_t> words{INT32_MIN, INT32_MAX, 0, -1, 1};
    std::vector<int64_t> wides{-(int64_t{1} << 47), (int64_t{1} << 47) - 1, 0, -1, 1};
    const auto bits = pick(random, 1, 30);
    for (int k = 0; k < 100; ++k) {
      words.push_back(static_cast<int32_t>(pick(random, -(int64_t{1} << bits), int64_t{1} << bits)));
      wides.push_back(pick(random, -(int64_t{1} << (bits + 16)), int64_t{1} << (bits + 16)));
    }
    Setting s;
    s.multiplier = pick(random, 0, INT32_MAX);
    s.shift = pick(random, 2, 62);
    s.double_round = i % 2 == 0;
    compare<int32_t, int32_t>(DType::kINT32, words, DType::kINT32, s);
    compare<int32_t, int8_t>(DType::kINT32, words, DType::kINT8, s);
    s.scale32 = s.double_round = false;
    s.multiplier = pick(random, 0, 32767);
    compare<int64_t, int32_t>(DType::kINT48, wides, DType::kINT32, s);
    compare<int64_t, int16_t>(DType::kINT48, wides, DType::kINT16, s);
  }
}

TEST_CASE("RESCALE per channel uses the last axis") {
  const auto outcome =
      run_operator(Op::kRESCALE,
                   {make<int32_t>(DType::kINT32, {2, 3}, {100, 100, 100, -100, -100, -100}),
                    make<int32_t>(DType::kINT32, {3}, {1, 2, 3}), make<int8_t>(DType::kINT8, {3}, {10, 10, 9}),
                    make<int32_t>(DType::kINT32, {1}, {0}), make<int8_t>(DType::kINT8, {1}, {7})},
                   {DType::kINT8, {2, 3}},
                   {{Attr::k_scale32, int64_t{1}},
                    {Attr::k_rounding_mode, int64_t{0}},
                    {Attr::k_per_channel, int64_t{1}},
                    {Attr::k_input_unsigned, int64_t{0}},
                    {Attr::k_output_unsigned, int64_t{0}}});
  REQUIRE(outcome.broken.empty());
  CHECK(outcome.output == make<int8_t>(DType::kINT8, {2, 3}, {7, 7, 8, 7, 7, 6}));
}

TEST_CASE("RESCALE rules") {
  const auto rules = [](DType in, DType out, Setting s) {
    if (in == DType::kINT8 && out == DType::kINT8) return rescale<int8_t, int8_t>(in, {1}, out, s).broken;
    if (in == DType::kINT16) return rescale<int16_t, int16_t>(in, {1}, out, s).broken;
    return rescale<int64_t, int16_t>(in, {1}, out, s).broken;
  };
  Setting s;
  CHECK(rules(DType::kINT8, DType::kINT8, s).empty());
  s.from_unsigned = s.to_unsigned = true;
  CHECK(rules(DType::kINT8, DType::kINT8, s).size() == 1);
  s = {};
  s.in_zp = 1;
  CHECK(rules(DType::kINT16, DType::kINT16, s).size() == 1);
  s.from_unsigned = true;
  CHECK(rules(DType::kINT16, DType::kINT16, s).size() == 1);
  s.in_zp = 32768;
  CHECK(rules(DType::kINT16, DType::kINT16, s).empty());
  s = {};
  CHECK(rules(DType::kINT48, DType::kINT16, s).size() == 1);
  s.scale32 = false;
  CHECK(rules(DType::kINT48, DType::kINT16, s).empty());
  s.double_round = true;
  CHECK(rules(DType::kINT48, DType::kINT16, s).size() == 1);
}

TEST_CASE("CAST extends signs and drops high bits") {
  const auto cast = [](int32_t value, DType out) {
    return run_operator(Op::kCAST, {make<int32_t>(DType::kINT32, {}, {value})}, {out, {}}).output;
  };
  CHECK(cast(0x12345, DType::kINT8).data<int8_t>()[0] == 0x45);
  CHECK(cast(0x1FF80, DType::kINT8).data<int8_t>()[0] == -128);
  CHECK(cast(0x18000, DType::kINT16).data<int16_t>()[0] == -32768);
  CHECK(cast(256, DType::kBOOL).data<bool>()[0]);
  CHECK_FALSE(cast(0, DType::kBOOL).data<bool>()[0]);
  CHECK(
      run_operator(Op::kCAST, {make<int8_t>(DType::kINT8, {}, {-3})}, {DType::kINT32, {}}).output.data<int32_t>()[0] ==
      -3);
  CHECK(
      run_operator(Op::kCAST, {make<bool>(DType::kBOOL, {}, {true})}, {DType::kINT16, {}}).output.data<int16_t>()[0] ==
      1);
}

}  // namespace
}  // namespace macaw::tosa
