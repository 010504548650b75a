#include "base/number_text.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

using macaw::io::decimal_or_hexadecimal;
using macaw::io::number_of;

TEST_CASE("a number is all of its text, in decimal or after 0x in hexadecimal digits") {
  CHECK(decimal_or_hexadecimal<int>("010") == 10);
  CHECK(decimal_or_hexadecimal<int>("0x10") == 16);
  CHECK(decimal_or_hexadecimal<int>("-10") == -10);
  CHECK(decimal_or_hexadecimal<unsigned>("0xfFfFffff") == UINT32_MAX);
  CHECK(decimal_or_hexadecimal<unsigned>("4294967295") == UINT32_MAX);
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "1x", "ff", "0X10", "0x", "0x 1", "0x0x1", "0xg", "0x1 ", "1e3", "1.0"}) {
    CAPTURE(text);
    CHECK_FALSE(decimal_or_hexadecimal<std::int64_t>(text));
  }
}

TEST_CASE("no sign stands behind 0x, and only signed types have one before a number") {
  for (const char* text : {"0x-1", "0x-0", "0x+1", "-0x1"}) {
    CAPTURE(text);
    CHECK_FALSE(decimal_or_hexadecimal<int>(text));
    CHECK_FALSE(decimal_or_hexadecimal<std::uint64_t>(text));
  }
  CHECK_FALSE(decimal_or_hexadecimal<unsigned>("-1"));
}

TEST_CASE("a number that its type does not hold is none") {
  CHECK(decimal_or_hexadecimal<std::int8_t>("127") == 127);
  CHECK(decimal_or_hexadecimal<std::int8_t>("-128") == -128);
  CHECK(decimal_or_hexadecimal<std::int8_t>("0x7f") == 127);
  for (const char* text : {"128", "-129", "0x80", "1000"}) {
    CAPTURE(text);
    CHECK_FALSE(decimal_or_hexadecimal<std::int8_t>(text));
  }
}

TEST_CASE("a fraction is a number of a floating-point type alone") {
  CHECK(number_of<double>("-1.5e3") == -1500);
  CHECK_FALSE(number_of<double>("1.5 "));
  CHECK_FALSE(number_of<double>("0x1p3x"));
  CHECK_FALSE(number_of<int>("1.5"));
}
