#include "reference/tosa/verify/float_format.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <limits>
#include <random>

#include "tests/unit/reference/tosa/verify/tensors.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::verify;

namespace {

const FloatFormat& format(DType dtype) { return *find_format(dtype); }

}  // namespace

TEST_CASE("ranges of the floating point types", "[verify]") {
  // TOSA specification, "Number formats"; IEEE 754 and OCP 8-bit floating point.
  CHECK(format(DType::kFP32).normal_max == std::numeric_limits<float>::max());
  CHECK(format(DType::kFP32).normal_min == std::numeric_limits<float>::min());
  CHECK(format(DType::kFP16).normal_max == 65504);
  CHECK(format(DType::kFP16).normal_min == std::ldexp(1, -14));
  CHECK(format(DType::kBF16).normal_max == std::ldexp(255, 120));
  CHECK(format(DType::kBF16).normal_min == std::ldexp(1, -126));
  CHECK(format(DType::kFP8E4M3).normal_max == 448);
  CHECK(format(DType::kFP8E4M3).normal_min == std::ldexp(1, -6));
  CHECK(format(DType::kFP8E5M2).normal_max == 57344);
  CHECK(format(DType::kFP8E5M2).normal_min == std::ldexp(1, -14));
  CHECK(find_format(DType::kINT8) == nullptr);
  CHECK(find_format(DType::kFP64) == nullptr);
}

TEST_CASE("FP32 patterns decode to the machine's floats", "[verify]") {
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const auto expected = std::bit_cast<float>(bits);
    const double decoded = decode(format(DType::kFP32), bits);
    if (std::isnan(expected)) CHECK(std::isnan(decoded));
    else CHECK(std::bit_cast<std::uint64_t>(decoded) == std::bit_cast<std::uint64_t>(static_cast<double>(expected)));
  }
  // BF16 is the upper half of FP32.
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double wide = decode(format(DType::kFP32), bits << 16), narrow = decode(format(DType::kBF16), bits);
    if (!(std::isnan(wide) ? std::isnan(narrow) : wide == narrow)) FAIL("BF16 pattern " << bits);
  }
}

TEST_CASE("patterns of the narrow types", "[verify]") {
  const auto& e4m3 = format(DType::kFP8E4M3);
  CHECK(decode(e4m3, 0x7E) == 448);
  CHECK(std::isnan(decode(e4m3, 0x7F)));
  CHECK(std::isnan(decode(e4m3, 0xFF)));
  CHECK(decode(e4m3, 0x78) == 256);
  CHECK(decode(e4m3, 0x01) == std::ldexp(1, -9));
  CHECK(decode(e4m3, 0xB8) == -1);
  const auto& e5m2 = format(DType::kFP8E5M2);
  CHECK(decode(e5m2, 0x7B) == 57344);
  CHECK(decode(e5m2, 0x7C) == std::numeric_limits<double>::infinity());
  CHECK(decode(e5m2, 0xFC) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(decode(e5m2, 0x7D)));
  CHECK(decode(e5m2, 0x01) == std::ldexp(1, -16));
  const auto& fp16 = format(DType::kFP16);
  CHECK(decode(fp16, 0x3C01) == 1 + std::ldexp(1, -10));
  CHECK(decode(fp16, 0x8001) == -std::ldexp(1, -24));
  CHECK(std::signbit(decode(fp16, 0x8000)));
  CHECK(std::isnan(decode(fp16, 0x7C01)));
}

TEST_CASE("units in the last place and overflow", "[verify]") {
  const auto& fp32 = format(DType::kFP32);
  CHECK(ulp(fp32, 1.0) == std::ldexp(1, -23));
  CHECK(ulp(fp32, -1.999) == std::ldexp(1, -23));
  CHECK(ulp(fp32, 2.0) == std::ldexp(1, -22));
  CHECK(ulp(fp32, 1e-45) == std::ldexp(1, -149));
  CHECK(ulp(fp32, 0.0) == 0);
  CHECK(ulp(fp32, std::numeric_limits<double>::infinity()) == 0);
  const double tie = std::ldexp(1, 128) - std::ldexp(1, 103);
  CHECK(overflows(fp32, tie));
  CHECK_FALSE(overflows(fp32, std::nextafter(tie, 0)));
  CHECK(overflows(format(DType::kFP16), 65520));
  CHECK_FALSE(overflows(format(DType::kFP16), 65519.9));
  CHECK_FALSE(overflows(format(DType::kFP8E4M3), 1e9));
}
