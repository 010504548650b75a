#include <catch2/catch.hpp>

#include <limits>

#include <macaw/tosa/verify.hpp>

#include "tests/unit/reference/tosa/verify/tensors.hpp"

// Numbers worked out by hand from pseudocode/library/tosa_reference_check.tosac.

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

/// Values and scales of one block, of which the first element is `value` and the others are zero.
Tensor block(DType dtype, double value, double scale) {
  Tensor tensor(dtype, {32});
  const auto& type = *block_scale(dtype);
  const auto put = [&](std::size_t at, DType part, double number) {
    if (part == DType::kFP64) reinterpret_cast<double*>(tensor.bytes().data())[at] = number;
    else if (part == DType::kMXINT8) tensor.bytes()[at] = static_cast<std::byte>(static_cast<int>(number * 64));
    else if (part == DType::kFP8UE8M0)
      tensor.bytes()[at] = static_cast<std::byte>(std::isnan(number) ? 0xFF : std::ilogb(number) + 127);
    else tensor.bytes()[at] = narrow(part, number).bytes()[0];
  };
  put(0, type.value, value);
  put(32, type.scale, scale);
  return tensor;
}

Tensor exact(double value, double scale) { return block(DType::kBS32_FP64_FP64, value, scale); }

bool passes(const Tensor& result, const Tensor& reference, const Mode& mode) {
  const auto judgement = judge(result, reference, nullptr, {mode, result.dtype()});
  REQUIRE(judgement);
  CHECK_FALSE(judgement->text.empty());
  return judgement->compliant;
}

/// FP32 results of a cast from blocks.
bool from_block(double value, double reference, double scale) {
  const auto bounds = fp64({scale});
  const auto judgement =
      judge(fp32({static_cast<float>(value)}), fp64({reference}), &bounds, {mode::FromBlock{}, DType::kFP32});
  REQUIRE(judgement);
  return judgement->compliant;
}

constexpr auto kFp4 = DType::kBS32_FP8UE8M0_FP4E2M1;

}  // namespace

TEST_CASE("A cast from blocks is right to a unit of the value, times the scale", "[verify]") {
  // 1.5 has units of 2^-23 in FP32; scale 4.
  CHECK(from_block(6, 6, 4));
  CHECK(from_block(6 + std::ldexp(4, -23), 6, 4));
  CHECK_FALSE(from_block(6 + std::ldexp(4.5, -22), 6, 4));
  CHECK(from_block(-6 - std::ldexp(4, -23), -6, 4));
  CHECK_FALSE(from_block(6, -6, 4));
  // Never less than the least normal number.
  CHECK(from_block(std::ldexp(1, -126), std::ldexp(1, -143), std::ldexp(1, -127)));
  CHECK_FALSE(from_block(std::ldexp(1, -124), std::ldexp(1, -143), std::ldexp(1, -127)));
  CHECK(from_block(0, 0, 4));
  CHECK_FALSE(from_block(1, 0, 4));
  CHECK(from_block(kNan, kNan, kNan));
  CHECK_FALSE(from_block(1, kNan, kNan));
  CHECK(from_block(kInf, std::ldexp(1.5, 140), std::ldexp(1, 127)));
  CHECK_FALSE(from_block(-kInf, std::ldexp(1.5, 140), std::ldexp(1, 127)));
  CHECK(needs_bounds(mode::FromBlock{}));
  CHECK(judge(fp32({1}), fp64({1}), nullptr, {mode::FromBlock{}, DType::kFP32}).error().code == ErrorCode::kUsage);
}

TEST_CASE("Blocks are equal where values and scales are", "[verify]") {
  const mode::Exact mode;
  CHECK(passes(block(kFp4, 3, 2), exact(3, 2), mode));
  CHECK(passes(block(kFp4, 0, kNan), exact(0, kNan), mode));
  CHECK_FALSE(passes(block(kFp4, 3, 2), exact(4, 2), mode));
  CHECK_FALSE(passes(block(kFp4, 3, 2), exact(3, 4), mode));
  CHECK_FALSE(passes(block(kFp4, 3, kNan), exact(3, 4), mode));
}

TEST_CASE("Values and scales of blocks are judged together", "[verify]") {
  const mode::ToBlock mode;
  CHECK(passes(block(kFp4, 6, 0.5), exact(6.4, 0.5), mode));
  CHECK(passes(block(kFp4, 6, 0.5), exact(6.9, 0.5), mode));
  CHECK(passes(block(kFp4, 4, 0.5), exact(6, 0.5), mode));  // a unit of 6 is 2
  CHECK_FALSE(passes(block(kFp4, 3, 0.5), exact(6, 0.5), mode));
  CHECK_FALSE(passes(block(kFp4, -6, 0.5), exact(6, 0.5), mode));
  CHECK(passes(block(kFp4, 0, 0.5), exact(0.1, 0.5), mode));
  CHECK_FALSE(passes(block(kFp4, 0.5, 0.5), exact(0, 0.5), mode));
  // A scale up to a unit off: the value is then judged by what it stands for.
  CHECK(passes(block(kFp4, 3, 1), exact(6, 0.5), mode));
  CHECK_FALSE(passes(block(kFp4, 6, 1), exact(6, 0.5), mode));
  CHECK(passes(block(kFp4, 6, 0.25), exact(6, 0.5), mode));  // 12 saturates
  CHECK_FALSE(passes(block(kFp4, 1.5, 2), exact(6, 0.5), mode));
  CHECK_FALSE(passes(block(kFp4, 6, kNan), exact(6, 0.5), mode));
  CHECK(passes(block(kFp4, 1, 8), exact(kNan, kNan), mode));
  // FP8E4M3 is allowed two units, of 32 at 448; it has no infinity.
  constexpr auto e4m3 = DType::kBS32_FP8UE8M0_FP8E4M3;
  CHECK(passes(block(e4m3, 384, 1), exact(448, 1), mode));
  CHECK_FALSE(passes(block(e4m3, 352, 1), exact(448, 1), mode));
  CHECK(passes(block(e4m3, kNan, 1), exact(448, 1), mode));
  CHECK_FALSE(passes(block(e4m3, kNan, 1), exact(256, 1), mode));
  constexpr auto e5m2 = DType::kBS32_FP8UE8M0_FP8E5M2;
  CHECK(passes(block(e5m2, 57344, 1), exact(61000, 1), mode));
  CHECK_FALSE(passes(block(e5m2, 40960, 1), exact(57344, 1), mode));
  // MXINT8 has units of 1/64 everywhere and one number more below zero.
  constexpr auto mxint8 = DType::kBS32_FP8UE8M0_MXINT8;
  CHECK(passes(block(mxint8, -2, 1), exact(-127.4 / 64, 1), mode));
  CHECK(passes(block(mxint8, 127 / 64.0, 1), exact(127.4 / 64, 1), mode));
  CHECK(passes(block(mxint8, 1 / 64.0, 1), exact(0, 1), mode));
  CHECK_FALSE(passes(block(mxint8, 2 / 64.0, 1), exact(0, 1), mode));
  for (const auto dtype : {DType::kBS32_FP8UE8M0_FP6E2M3, DType::kBS32_FP8UE8M0_FP6E3M2}) {
    CHECK(passes(block(dtype, 1.25, 2), exact(1.25, 2), mode));
    CHECK_FALSE(passes(block(dtype, 2, 2), exact(1.25, 2), mode));
  }
  const auto judgement = judge(block(kFp4, 3, 0.5), exact(6, 0.5), nullptr, {mode, kFp4});
  CHECK(judgement->outside == 1);
  CHECK(judgement->index == 0);
  CHECK(judgement->value == 3);
  CHECK(judgement->lowest == 4);
  CHECK(judge(fp32({1}), fp64({1}), nullptr, {mode, DType::kFP32}).error().code == ErrorCode::kUnsupported);
  CHECK(judge(block(kFp4, 1, 1), exact(1, 1), nullptr, {mode::Ulp{1, 1}, kFp4}).error().code ==
        ErrorCode::kUnsupported);
  CHECK(judge(exact(1, 1), exact(1, 1), nullptr, {mode, DType::kBS32_FP64_FP64}).error().code ==
        ErrorCode::kUnsupported);
}

TEST_CASE("EXACT on blocks compares both value and scale", "[verify]") {
  CHECK(passes(block(kFp4, 3, 0.5), exact(3, 0.5), mode::Exact{}));
  CHECK_FALSE(passes(block(kFp4, 3, 0.5), exact(1.5, 1), mode::Exact{}));
  CHECK_FALSE(passes(block(kFp4, 3, 0.5), exact(2, 0.5), mode::Exact{}));
  CHECK(passes(block(kFp4, 3, kNan), exact(3, kNan), mode::Exact{}));
  CHECK(reference_dtype(kFp4) == DType::kBS32_FP64_FP64);
}

TEST_CASE("Types of values and scales alone have units too", "[verify]") {
  const auto scale = [](std::uint8_t bits) { return tensor<std::uint8_t>(DType::kFP8UE8M0, {bits}); };
  CHECK(passes(scale(127), fp64({1}), mode::Exact{}));
  CHECK(passes(scale(128), fp64({1}), mode::Ulp{1, 1}));
  CHECK_FALSE(passes(scale(129), fp64({1}), mode::Ulp{1, 1}));
  CHECK(passes(scale(255), fp64({kNan}), mode::Ulp{1, 1}));
  CHECK(passes(tensor<std::int8_t>(DType::kMXINT8, {-128}), fp64({-2}), mode::Exact{}));
  CHECK_FALSE(passes(tensor<std::int8_t>(DType::kMXINT8, {-127}), fp64({-2}), mode::Exact{}));
  CHECK(passes(tensor<std::uint8_t>(DType::kFP4E2M1, {0x7}), fp64({6}), mode::Exact{}));
  CHECK(passes(tensor<std::uint8_t>(DType::kFP6E3M2, {0x3F}), fp64({-28}), mode::Exact{}));
  CHECK_FALSE(passes(tensor<std::uint8_t>(DType::kFP6E2M3, {0x1F}), fp64({7}), mode::Exact{}));
}

TEST_CASE("Two outputs, values and scales, become one tensor", "[verify]") {
  const Tensor values(DType::kFP6E2M3, {2, 64}), scales(DType::kFP8UE8M0, {2, 2});
  const auto joined = join_blocks(values, scales);
  REQUIRE(joined);
  CHECK(*joined == Tensor(DType::kBS32_FP8UE8M0_FP6E2M3, {2, 64}));
  CHECK(join_blocks(Tensor(DType::kFP64, {32}), Tensor(DType::kFP64, {1})).value().dtype() == DType::kBS32_FP64_FP64);
  const auto mismatch = [](const Tensor& a, const Tensor& b) {
    const auto result = join_blocks(a, b);
    return !result && result.error().code == ErrorCode::kMismatch;
  };
  CHECK(mismatch(values, values));
  CHECK(mismatch(values, Tensor(DType::kFP8UE8M0, {2, 64})));
  CHECK(mismatch(Tensor(DType::kFP6E2M3, {33}), Tensor(DType::kFP8UE8M0, {2})));
  CHECK(mismatch(Tensor(DType::kFP6E2M3, {}), Tensor(DType::kFP8UE8M0, {})));
}

TEST_CASE("Modes of blocks in a description", "[verify]") {
  const auto parse = [](const std::string& entry) {
    return parse_compliance(R"({"tensors": {"y": )" + entry + "}}", "y");
  };
  const auto from = parse(R"({"data_type": "BF16", "mode": "FROM_BLOCK"})");
  REQUIRE(from);
  CHECK(to_string(from->mode) == "FROM_BLOCK");
  const auto alone = parse(R"({"data_type": "BS32_FP8UE8M0_MXINT8", "mode": "BLOCK_SCALE"})");
  REQUIRE(alone);
  CHECK(alone->dtype == DType::kBS32_FP8UE8M0_MXINT8);
  CHECK(std::get<mode::ToBlock>(alone->mode).scale_tensor.empty());
  const auto pair = parse(R"({"data_type": "BS32_FP8UE8M0_MXINT8", "mode": "BLOCK_SCALE",
                              "block_scale_info": {"scale_tensor": "s"}})");
  REQUIRE(pair);
  CHECK(std::get<mode::ToBlock>(pair->mode).scale_tensor == "s");
  for (const auto* info : {"5", R"({"scale_tensor": 5})"})
    CHECK(parse(std::string(R"({"data_type": "BF16", "mode": "BLOCK_SCALE", "block_scale_info": )") + info + "}")
              .error()
              .code == ErrorCode::kInvalidFile);
}
