#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>

#include "reference/tosa/import/constant_data.hpp"

// Numbers of attributes as bytes: IEEE 754 binary16, and bfloat16, the upper half of a binary32; ties go to even.
using namespace macaw;
using namespace macaw::tosa;

namespace {

std::uint16_t bits_of(DType dtype, float value) {
  const auto bytes = float_bytes(dtype, value);
  REQUIRE(bytes.size() == 2);
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes.data(), 2);
  return bits;
}

float number_of(DType dtype, std::uint16_t bits) { return float_from_bytes(dtype, std::as_bytes(std::span(&bits, 1))); }

}  // namespace

TEST_CASE("Floats of 16 bits are the nearest ones, ties the even one") {
  for (const std::uint32_t upper : {0x3f80u, 0x3f81u, 0xc123u, 0x0001u}) {
    const auto at = [&](std::uint32_t lower) {
      return bits_of(DType::kBF16, std::bit_cast<float>(upper << 16 | lower));
    };
    CHECK(at(0x7fff) == upper);
    CHECK(at(0x8000) == upper + upper % 2);
    CHECK(at(0x8001) == upper + 1);
  }
  CHECK(bits_of(DType::kFP16, 65519.996F) == 0x7bff);
  CHECK(bits_of(DType::kFP16, 65520.0F) == 0x7c00);
  CHECK(bits_of(DType::kFP16, 1.0F + 0x1p-11F) == 0x3c00);
  CHECK(bits_of(DType::kFP16, 1.0F + 0x3p-11F) == 0x3c02);
}

TEST_CASE("A zero is a zero of either sign") {
  for (const auto dtype : {DType::kFP16, DType::kBF16}) {
    CHECK(bits_of(dtype, 0.0F) == 0);
    CHECK(bits_of(dtype, -0.0F) == 0x8000);
  }
  CHECK(bits_of(DType::kFP16, 0x1p-26F) == 0);
}

TEST_CASE("Every number of 16 bits comes back from its value") {
  for (const auto dtype : {DType::kFP16, DType::kBF16})
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const auto value = number_of(dtype, static_cast<std::uint16_t>(bits));
      if (!std::isnan(value) && bits_of(dtype, value) != bits) FAIL(macaw::to_string(dtype) << ' ' << bits);
    }
  CHECK(number_of(DType::kFP16, 0x0001) == 0x1p-24F);
  CHECK(number_of(DType::kFP16, 0x03ff) == 1023 * 0x1p-24F);
  CHECK(number_of(DType::kFP16, 0x8400) == -0x1p-14F);
}

TEST_CASE("NaN stays NaN, whichever of its bits say so") {
  for (const std::uint32_t sign : {0u, 0x80000000u})
    for (int bit = 0; bit < 23; ++bit)
      for (const auto dtype : {DType::kFP16, DType::kBF16}) {
        const auto bits = bits_of(dtype, std::bit_cast<float>(sign | 0x7f800000u | 1u << bit));
        CAPTURE(sign, bit, macaw::to_string(dtype));
        CHECK(std::isnan(number_of(dtype, bits)));
      }
  for (std::uint32_t mantissa = 0; mantissa < 0x400; ++mantissa)
    CHECK(std::isnan(number_of(DType::kFP16, static_cast<std::uint16_t>(0x7c00 | mantissa))) == (mantissa != 0));
}

TEST_CASE("An integer's bytes have the sign of its type, and a truth is 0 or 1") {
  struct Row {
    DType dtype;
    std::int64_t least, most;
  };
  for (const Row& row : {Row{DType::kUINT8, 0, 255},
                         {DType::kINT8, -128, 127},
                         {DType::kUINT16, 0, 65535},
                         {DType::kINT16, -32768, 32767},
                         {DType::kINT32, INT32_MIN, INT32_MAX},
                         {DType::kINT64, INT64_MIN, INT64_MAX}})
    for (const auto value : {row.least, row.least / 2, std::int64_t{0}, std::int64_t{1}, row.most / 2 + 1, row.most}) {
      CAPTURE(macaw::to_string(row.dtype), value);
      const auto bytes = integer_bytes(row.dtype, value);
      CHECK(bytes.size() == size_of(row.dtype));
      CHECK(integer_from_bytes(row.dtype, bytes) == value);
    }
  for (const std::int64_t value : {-256, -1, 0, 1, 2, 256})
    CHECK(integer_bytes(DType::kBOOL, value) == std::vector{value != 0 ? std::byte{1} : std::byte{0}});
}

TEST_CASE("A constant has the bytes of its elements, or those up to the next eight") {
  for (const auto& [dtype, bits] : {std::pair<DType, std::size_t>(DType::kBOOL, 8),
                                    {DType::kINT4, 4},
                                    {DType::kFP4E2M1, 4},
                                    {DType::kINT8, 8},
                                    {DType::kFP16, 16},
                                    {DType::kINT32, 32},
                                    {DType::kINT48, 48},
                                    {DType::kSHAPE, 64}})
    for (std::size_t count = 1; count < 18; ++count) {
      const auto size = (bits * count + 7) / 8, padded = (size + 7) / 8 * 8;
      const std::vector<std::uint8_t> bytes(padded + 9);
      for (std::size_t given = 0; given <= bytes.size(); ++given) {
        CAPTURE(macaw::to_string(dtype), count, given);
        CHECK(
            unpack_constant(dtype, {static_cast<std::int64_t>(count)}, std::span(bytes).first(given), {}).has_value() ==
            (given == size || given == padded));
      }
    }
}
