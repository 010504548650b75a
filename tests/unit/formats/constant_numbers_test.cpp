#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>

#include "reference/import/constant_data.hpp"

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
