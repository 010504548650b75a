#include "sim/datapath/requantize.hpp"
#include "sim/datapath/scale_stream.hpp"
#include "sim/datapath/u55_u65/activation.hpp"

#include <catch2/catch.hpp>

using namespace macaw::npu;

TEST_CASE("rounding follows the published vectors") {  // u55_u65 5.8
  struct Row {
    std::int64_t value;
    std::uint32_t scale;
    int shift;
    std::array<std::int64_t, 7> expected;  // natural, double, double dbl=20, double asymmetric, symmetric, zero, lower
  };
  const Row rows[] = {
      {1000, 1518500250, 38, {6, 6, 6, 6, 6, 5, 5}},
      {-1000, 1518500250, 38, {-6, -6, -6, -6, -6, -5, -6}},
      {3, 1073741824, 31, {2, 2, 2, 2, 2, 1, 1}},
      {-3, 1073741824, 31, {-1, -1, -2, -1, -2, -1, -2}},
      {-5, 1073741825, 32, {-1, -2, -1, -1, -1, -1, -2}},
      {12345678, 2147483647, 40, {24113, 24113, 24113, 24113, 24113, 24112, 24112}},
      {-12345678, 2147483647, 40, {-24113, -24113, -24113, -24113, -24113, -24112, -24113}},
      {7, 1, 1, {4, 4, 4, 4, 4, 3, 3}},
      {-7, 1, 1, {-3, -3, -3, -3, -4, -3, -4}},
  };
  for (const auto& row : rows) {
    const auto r = [&](Rounding rounding, int dbl = 0) {
      return requantize(row.value, row.scale, row.shift, rounding, dbl);
    };
    INFO(row.value << " * " << row.scale << " >> " << row.shift);
    CHECK(r(Rounding::kNatural) == row.expected[0]);
    CHECK(r(Rounding::kDoubleSymmetric) == row.expected[1]);
    CHECK(r(Rounding::kDoubleSymmetric, 20) == row.expected[2]);
    CHECK(r(Rounding::kDoubleAsymmetric) == row.expected[3]);
    CHECK(r(Rounding::kSymmetric) == row.expected[4]);
    CHECK(r(Rounding::kTruncateToZero) == row.expected[5]);
    CHECK(r(Rounding::kTruncateToLower) == row.expected[6]);
  }
}

TEST_CASE("extreme products are exact or limited, never wrapped") {
  CHECK(requantize(-1, 0xFFFFFFFFu, 63, Rounding::kNatural) == 0);
  CHECK(requantize(std::int64_t{1} << 39, 0xFFFFFFFFu, 39, Rounding::kNatural) == 0xFFFFFFFFll);
  CHECK(requantize(std::int64_t{1} << 39, 0xFFFFFFFFu, 0, Rounding::kNatural) == std::int64_t{1} << 62);
  CHECK(requantize(-(std::int64_t{1} << 39), 0xFFFFFFFFu, 0, Rounding::kNatural) == -(std::int64_t{1} << 62));
  CHECK(requantize(-1, 1, 63, Rounding::kTruncateToZero) == 0);
}

TEST_CASE("pooling constants") {  // u55_u65 5.8
  const auto check = [](std::int64_t n, std::uint32_t scale31, int shift31, std::uint32_t scale30, int shift30) {
    CHECK(pooling_divisor(n, 31).scale == scale31);
    CHECK(pooling_divisor(n, 31).shift == shift31);
    CHECK(pooling_divisor(n, 30).scale == scale30);
    CHECK(pooling_divisor(n, 30).shift == shift30);
  };
  check(1, 2147483649u, 31, 1073741825u, 30);
  check(2, 2147483649u, 32, 1073741825u, 31);
  check(3, 2863311532u, 33, 1431655766u, 32);
  check(6, 2863311532u, 34, 1431655766u, 33);
  check(25, 2748779070u, 36, 1374389536u, 35);
  check(49, 2804876602u, 37, 1402438302u, 36);
  check(64, 2147483649u, 37, 1073741825u, 36);
}

TEST_CASE("built-in tanh and sigmoid") {  // u55_u65 5.8
  const std::array<std::int64_t, 3> rows[] = {{0, 0, 16384},         {1, 3, 16385},          {-1, -3, 16383},
                                              {100, 267, 16451},     {-100, -267, 16317},    {1000, 2661, 17051},
                                              {-1000, -2661, 15717}, {12288, 24956, 23956},  {-12288, -24956, 8812},
                                              {32767, 32453, 30639}, {-32768, -32453, 2128}, {65000, 32766, 32604},
                                              {-65000, -32766, 164}, {140000, 32767, 32767}, {-140000, -32767, 1}};
  for (const auto& [value, tanh, sigmoid] : rows) {
    INFO(value);
    CHECK(builtin_tanh(value) == tanh);
    CHECK(builtin_sigmoid(value) == sigmoid);
  }
  CHECK(builtin_tanh(INT64_MIN) == -32767);
}

TEST_CASE("scale entries survive encoding") {
  for (const auto format : {ScaleFormat::kBias40Scale32, ScaleFormat::kBias32Scale31, ScaleFormat::kBias48Scale15}) {
    const std::uint32_t scale = format == ScaleFormat::kBias48Scale15 ? 0x7ABC : 0x7FEDCBA9;
    std::vector<std::uint8_t> stream;
    encode_scale(stream, {-5, scale, 63}, format);
    encode_scale(stream, {0x7FFFFFFF, 1, 0}, format);
    REQUIRE(stream.size() == 2 * kScaleEntryBytes);
    const auto entries = decode_scales(stream, 2, format);
    REQUIRE(entries);
    CHECK((*entries)[0].bias == -5);
    CHECK((*entries)[0].scale == scale);
    CHECK((*entries)[0].shift == 63);
    CHECK((*entries)[1].bias == 0x7FFFFFFF);
    CHECK((*entries)[1].scale == 1);
    CHECK_FALSE(decode_scales(stream, 3, format));
  }
}
