#include <catch2/catch.hpp>

#include <limits>

#include <macaw/tosa/verify.hpp>

#include "tests/unit/reference/tosa/verify/tensors.hpp"

using namespace macaw;
using namespace macaw::tosa;
using namespace macaw::tosa::test;

namespace {

Judgement judged(const Tensor& result, const Tensor& reference, const Mode& mode, const Tensor* bounds = nullptr) {
  const auto judgement = judge(result, reference, bounds, {mode, result.dtype()});
  REQUIRE(judgement);
  INFO(judgement->text);
  CHECK_FALSE(judgement->text.empty());
  return *judgement;
}

bool agrees(const Tensor& result, const Tensor& reference, const Mode& mode) {
  return judged(result, reference, mode).compliant;
}

bool agrees(const Tensor& result, const Tensor& reference, const Tensor& bounds, const Mode& mode) {
  return judged(result, reference, mode, &bounds).compliant;
}

bool passes32(double value, double reference, const Mode& mode) {
  return agrees(fp32({static_cast<float>(value)}), fp64({reference}), mode);
}

bool passes32(double value, double reference, double bounds, const Mode& mode) {
  return agrees(fp32({static_cast<float>(value)}), fp64({reference}), fp64({bounds}), mode);
}

double ulps(int n) { return std::ldexp(n, -23); }

}  // namespace

TEST_CASE("EXACT compares integers bit by bit", "[verify]") {
  const auto reference = tensor<std::int32_t>(DType::kINT32, {1, -2, 3, 4}, {2, 2});
  CHECK(agrees(reference, reference, mode::Exact{}));
  const auto judgement = judged(tensor<std::int32_t>(DType::kINT32, {1, -2, 5, 7}, {2, 2}), reference, mode::Exact{});
  CHECK_FALSE(judgement.compliant);
  CHECK(judgement.outside == 2);
  CHECK(judgement.index == 2);
  CHECK(judgement.value == 5);
  CHECK(judgement.reference == 3);
  CHECK(judgement.text.find("[1, 0]") != std::string::npos);
  for (const auto dtype : {DType::kINT4, DType::kINT8, DType::kUINT8, DType::kBOOL})
    for (const int value : {0, 1})
      CHECK(agrees(tensor<std::uint8_t>(dtype, {static_cast<std::uint8_t>(value)}), tensor<std::uint8_t>(dtype, {1}),
                   mode::Exact{}) == (value == 1));
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  for (const auto dtype : {DType::kINT48, DType::kSHAPE}) {
    CHECK(agrees(tensor<std::int64_t>(dtype, {large}), tensor<std::int64_t>(dtype, {large}), mode::Exact{}));
    CHECK_FALSE(agrees(tensor<std::int64_t>(dtype, {large - 1}), tensor<std::int64_t>(dtype, {large}), mode::Exact{}));
  }
  CHECK(agrees(Tensor(DType::kSHAPE, {0}), Tensor(DType::kSHAPE, {0}), mode::Exact{}));
  CHECK_FALSE(agrees(Tensor(DType::kINT8, {0}), Tensor(DType::kINT8, {0}), mode::Exact{}));
}

TEST_CASE("EXACT on floating point lets subnormals go but nothing else", "[verify]") {
  CHECK(passes32(1.5, 1.5, mode::Exact{}));
  CHECK_FALSE(passes32(1.5 + ulps(1), 1.5, mode::Exact{}));
  CHECK(passes32(0, 1e-40, mode::Exact{}));
  CHECK(passes32(0, -1e-40, mode::Exact{}));
  CHECK_FALSE(passes32(0, std::ldexp(1, -126), mode::Exact{}));
  CHECK(passes32(kNan, kNan, mode::Exact{}));
  CHECK_FALSE(passes32(0, kNan, mode::Exact{}));
  CHECK_FALSE(passes32(kNan, 0, mode::Exact{}));
  CHECK(passes32(kInf, kInf, mode::Exact{}));
  CHECK(passes32(-kInf, -kInf, mode::Exact{}));
  CHECK_FALSE(passes32(kInf, -kInf, mode::Exact{}));
  CHECK_FALSE(passes32(-1, 1, mode::Exact{}));
  const double subnormal = std::ldexp(1, -9);
  CHECK(agrees(narrow(DType::kFP8E4M3, subnormal), fp64({subnormal}), mode::Exact{}));
  CHECK_FALSE(agrees(narrow(DType::kFP8E4M3, 0), fp64({subnormal}), mode::Exact{}));
  CHECK(agrees(narrow(DType::kFP8E5M2, kNan), fp64({kNan}), mode::Exact{}));
  CHECK_FALSE(agrees(narrow(DType::kFP8E5M2, kNan), fp64({1}), mode::Exact{}));
}

TEST_CASE("ULP bounds", "[verify]") {
  const mode::Ulp one{1, 1}, half{0.5, 0.5}, upwards{2, 0};
  CHECK(passes32(1 + ulps(1), 1, one));
  CHECK_FALSE(passes32(1 + ulps(2), 1, one));
  CHECK(passes32(-1 - ulps(1), -1, one));
  CHECK_FALSE(passes32(-1 - ulps(2), -1, one));
  CHECK(passes32(1, 1 + ulps(1) / 2, half));
  CHECK(passes32(1 + ulps(1), 1 + ulps(1) / 2, half));
  CHECK_FALSE(passes32(1, 1 + ulps(1) * 0.5001, half));
  // Above and below are away from and towards zero.
  CHECK(passes32(1 + ulps(2), 1, upwards));
  CHECK(passes32(-1 - ulps(2), -1, upwards));
  CHECK_FALSE(passes32(1 - ulps(1) / 2, 1, upwards));
  CHECK_FALSE(passes32(-1 + ulps(1) / 2, -1, upwards));
  // A reference that may round beyond the largest number may be infinite.
  const double largest = std::numeric_limits<float>::max();
  CHECK(passes32(kInf, largest, one));
  CHECK(passes32(largest, largest, one));
  CHECK_FALSE(passes32(kInf, largest - std::ldexp(1, 105), one));
  CHECK_FALSE(passes32(-kInf, largest, one));
  CHECK_FALSE(passes32(0, kInf, one));
  // Subnormal references have the ULP of the smallest normal number.
  CHECK(passes32(std::ldexp(2, -149), std::ldexp(1, -149), one));
  CHECK_FALSE(passes32(std::ldexp(3, -149), std::ldexp(1, -149), one));

  CHECK(agrees(narrow(DType::kFP16, 1 + std::ldexp(1, -10)), fp64({1}), one));
  CHECK_FALSE(agrees(narrow(DType::kFP16, 1 + std::ldexp(1, -9)), fp64({1}), one));
  CHECK(agrees(narrow(DType::kBF16, 1 + std::ldexp(1, -7)), fp64({1}), one));
  CHECK_FALSE(agrees(narrow(DType::kBF16, 1 + std::ldexp(1, -6)), fp64({1}), one));
  CHECK(agrees(narrow(DType::kFP8E5M2, 1.25), fp64({1}), one));
  CHECK_FALSE(agrees(narrow(DType::kFP8E5M2, 1.5), fp64({1}), one));
  CHECK(agrees(narrow(DType::kFP8E4M3, 1.125), fp64({1}), one));
  CHECK_FALSE(agrees(narrow(DType::kFP8E4M3, 1.25), fp64({1}), one));
  // FP8 keeps subnormals; E4M3 overflows to NaN.
  CHECK_FALSE(agrees(narrow(DType::kFP8E4M3, 0), fp64({std::ldexp(3, -9)}), one));
  CHECK(agrees(narrow(DType::kFP8E4M3, kNan), fp64({448}), one));
  CHECK_FALSE(agrees(narrow(DType::kFP8E4M3, kNan), fp64({400}), one));
  CHECK_FALSE(agrees(narrow(DType::kFP8E5M2, kNan), fp64({57344}), one));
}

TEST_CASE("ABS_ERROR bounds", "[verify]") {
  // EXP: the bounds tensor holds 2|x|, to which base_bound is added.
  const mode::AbsError exp{.base_bound = 1};
  CHECK(passes32(4 + 5 * 4 * ulps(1), 4, 4, exp));
  CHECK_FALSE(passes32(4 + 6 * 4 * ulps(1), 4, 4, exp));
  CHECK(passes32(4 - 5 * 4 * ulps(1), 4, 4, exp));
  CHECK_FALSE(passes32(4 - 5.5 * 4 * ulps(1), 4, 4, exp));
  CHECK(passes32(0, 0, kInf, exp));
  CHECK_FALSE(passes32(1e-30, 0, kInf, exp));
  CHECK(passes32(12, kInf, 4, exp));
  CHECK_FALSE(passes32(kNan, 4, 4, exp));
  // LOG: an absolute error of half an ULP of 1 near zero.
  const mode::AbsError log{.base_bound = 0, .lower_bound = 0.5};
  CHECK(passes32(1e-9 + 0.49 * ulps(1), 1e-9, 5, log));
  CHECK_FALSE(passes32(1e-9 + 0.51 * ulps(1), 1e-9, 5, log));
  CHECK(passes32(1e-9, 1e-9, 0, log));
  CHECK_FALSE(passes32(1e-9 + 0.51 * ulps(1), 1e-9, 0, log));
  // SIN and COS: relative to the bounds tensor, with half the bits, truncated to 11 of 23.
  const mode::AbsError cos{.base_bound = 1, .normal_divisor = 2, .bound_as_magnitude = true};
  CHECK(passes32(0.5 + 3 * std::ldexp(1, -11), 0.5, 3, cos));
  CHECK_FALSE(passes32(0.5 + 3.001 * std::ldexp(1, -11), 0.5, 3, cos));
  const mode::AbsError sin{.base_bound = 2, .normal_divisor = 2, .bound_as_magnitude = true, .max_compare = 0.25};
  CHECK(passes32(0.25, 0, 0, sin));
  CHECK_FALSE(passes32(0.2501, 0, 0, sin));
  CHECK(agrees(narrow(DType::kBF16, 0.125 + 0.25), fp64({0.25}), fp64({1}), cos));
  CHECK_FALSE(agrees(narrow(DType::kBF16, 0.125 + 0.25), fp64({0.25}), fp64({1}),
                     mode::AbsError{.base_bound = 1, .normal_divisor = 1, .bound_as_magnitude = true}));
}

TEST_CASE("RELATIVE bounds", "[verify]") {
  const mode::Relative mode{2, 0.125, 20};
  CHECK(passes32(1.25, 1, mode));
  CHECK_FALSE(passes32(1.2501, 1, mode));
  CHECK(passes32(-1.25, -1, mode));
  const mode::Relative by_ulp{0, 0, 20};
  CHECK(passes32(1 + ulps(20), 1, by_ulp));
  CHECK_FALSE(passes32(1 + ulps(21), 1, by_ulp));
}

TEST_CASE("REDUCE_PRODUCT bounds", "[verify]") {
  // Four factors may be four half ULPs off and little more.
  const mode::ReduceProduct mode{4};
  CHECK(passes32(1 + ulps(2), 1, mode));
  CHECK_FALSE(passes32(1 + ulps(3), 1, mode));
  CHECK(passes32(1 - ulps(2), 1, mode));
  CHECK_FALSE(passes32(1 - ulps(1) * 2.5, 1, mode));
  CHECK_FALSE(passes32(1 + ulps(1), 1, mode::ReduceProduct{1}));
}

TEST_CASE("FP_SPECIAL looks at kind and sign alone", "[verify]") {
  const mode::FpSpecial mode;
  CHECK(passes32(3, 5, 5, mode));
  CHECK_FALSE(passes32(-3, 5, 5, mode));
  CHECK(passes32(-0.0, 0.0, 0, mode));
  CHECK(passes32(0.0, 5, 5, mode));
  CHECK_FALSE(passes32(kInf, 5, 5, mode));
  CHECK(passes32(kInf, kInf, kInf, mode));
  CHECK_FALSE(passes32(-kInf, kInf, kInf, mode));
  CHECK(passes32(kNan, kNan, 1, mode));
  CHECK(passes32(kNan, 1, kNan, mode));
  CHECK_FALSE(passes32(kNan, 1, 1, mode));
  CHECK_FALSE(passes32(1, kNan, kNan, mode));
}

TEST_CASE("DOT_PRODUCT bounds one element", "[verify]") {
  // The unit is half an ULP of the bounds value: 8 * 2^-24.
  const mode::DotProduct mode{.s = 0, .ksb = 4, .abs_bound = 8, .variance_error_bound = 1e9};
  CHECK(passes32(1 + ulps(32), 1, 8, mode));
  CHECK_FALSE(passes32(1 + ulps(33), 1, 8, mode));
  CHECK(passes32(1 - ulps(32), 1, 8, mode));
  CHECK_FALSE(passes32(1 - ulps(33), 1, 8, mode));
  CHECK(passes32(0, 0, 0, mode));
  CHECK_FALSE(passes32(1e-38, 0, 0, mode));
  CHECK_FALSE(passes32(0, 1e-38, 0, mode));
  CHECK(passes32(kNan, kNan, 1, mode));
  CHECK_FALSE(passes32(1, kNan, 1, mode));
  CHECK(passes32(123, 1, kNan, mode));
  CHECK(passes32(kInf, 1, 3.41e38, mode));
  CHECK_FALSE(passes32(kInf, 1, 3.40e38, mode));
  CHECK_FALSE(passes32(kNan, 1, 8, mode));
  const auto bounds = fp64({8, 8});
  const auto judgement = judged(fp32({1, 2}), fp64({1, 1}), mode, &bounds);
  CHECK(judgement.index == 1);
}

TEST_CASE("DOT_PRODUCT bounds the errors of the whole tensor", "[verify]") {
  constexpr std::size_t kElements = 100;
  const Tensor reference = fp64(std::vector<double>(kElements, 1.0)),
               bounds = fp64(std::vector<double>(kElements, 2.0));
  // With a bounds value of 2 one ULP of 1 is an error of 1.
  const auto result = [](float up, float down) {
    std::vector<float> values(kElements);
    for (std::size_t i = 0; i < kElements; ++i) values[i] = i % 2 ? 1 + up : 1 - down;
    return fp32(values);
  };
  const auto ulp = static_cast<float>(ulps(1));
  const auto with = [](std::int64_t s, double variance) {
    return mode::DotProduct{.s = s, .ksb = 4, .abs_bound = 8, .variance_error_bound = variance};
  };
  // Errors +2 and -2: mean square 4, sum 0.
  CHECK(agrees(result(2 * ulp, 2 * ulp), reference, bounds, with(3, 4)));
  CHECK_FALSE(agrees(result(2 * ulp, 2 * ulp), reference, bounds, with(3, 3.99)));
  CHECK_FALSE(agrees(result(2 * ulp, 2 * ulp), reference, bounds, with(0, 3.99)));
  // Errors +2 and 0: mean square 2, sum 100; sqrt(10 * variance * 100) is 100 for a variance of 10.
  CHECK(agrees(result(2 * ulp, 0), reference, bounds, with(4, 10)));
  const auto biased = judged(result(2 * ulp, 0), reference, with(4, 9.9), &bounds);
  CHECK_FALSE(biased.compliant);
  CHECK_FALSE(biased.index);
  CHECK(biased.value == 100);
  for (const std::int64_t s : {3, 4, 5}) CHECK_FALSE(agrees(result(2 * ulp, 0), reference, bounds, with(s, 9.9)));
  for (const std::int64_t s : {0, 1, 2, 6}) CHECK(agrees(result(2 * ulp, 0), reference, bounds, with(s, 9.9)));
}

TEST_CASE("RESCALE_INEXACT takes what lies between two runs", "[verify]") {
  const auto i8 = [](int v) { return tensor<std::int8_t>(DType::kINT8, {static_cast<std::int8_t>(v)}); };
  const mode::RescaleInexact is_signed{false}, is_unsigned{true};
  for (int v = -3; v <= 3; ++v) CHECK(agrees(i8(v), i8(-1), i8(1), is_signed) == (v >= -1 && v <= 1));
  CHECK(agrees(i8(-1), i8(127), i8(-1), is_unsigned));
  CHECK(agrees(i8(-128), i8(127), i8(-1), is_unsigned));
  CHECK_FALSE(agrees(i8(126), i8(127), i8(-1), is_unsigned));
  const auto crossed = i8(-1);
  CHECK(judge(i8(0), i8(1), &crossed, {is_signed, DType::kINT8}).error().code == ErrorCode::kMismatch);
  const auto i32 = tensor<std::int32_t>(DType::kINT32, {1});
  CHECK(agrees(i32, i32, i32, is_signed));
  CHECK(judge(i32, i32, &i32, {is_unsigned, DType::kINT32}).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("TOLERANCE is a share of the value and of the tensor", "[verify]") {
  const mode::Tolerance mode{0.125};
  const auto reference = fp64({4, -4, 4, -4});  // root mean square 4
  CHECK(agrees(fp32({5, -3, 4, -5}), reference, mode));
  CHECK_FALSE(agrees(fp32({5.001F, -3, 4, -5}), reference, mode));
  CHECK_FALSE(agrees(fp32({5, -3, 4, -2.999F}), reference, mode));
  CHECK_FALSE(agrees(fp32({1}), fp64({kInf}), mode));
  CHECK(agrees(fp32({static_cast<float>(kInf), 1}), fp64({kInf, 1}), mode));
  CHECK_FALSE(agrees(fp32({static_cast<float>(kInf), 2}), fp64({kInf, 1}), mode));
  CHECK(default_tolerance(DType::kFP32)->share == 1e-3);
  CHECK(default_tolerance(DType::kBF16)->share == 2e-2);
  CHECK(default_tolerance(DType::kFP8E5M2)->share == 1.3e-1);
  CHECK(default_tolerance(DType::kINT8).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("a result of another type or shape is not compliant, a reference is an error", "[verify]") {
  const auto reference = fp64({1, 2});
  const Compliance compliance{mode::Ulp{1, 1}, DType::kFP32, Shape{2}};
  CHECK(judge(fp32({1, 2}), reference, nullptr, compliance)->compliant);
  CHECK_FALSE(judge(fp32({1}), reference, nullptr, compliance)->compliant);
  CHECK_FALSE(judge(reference, reference, nullptr, compliance)->compliant);
  CHECK_FALSE(judge(tensor<std::int32_t>(DType::kINT32, {1, 2}), reference, nullptr, compliance)->compliant);
  CHECK(judge(fp32({1, 2}), fp32({1, 2}), nullptr, compliance).error().code == ErrorCode::kMismatch);
  CHECK(judge(fp32({1, 2}), fp64({1}), nullptr, compliance).error().code == ErrorCode::kMismatch);
  const auto bounds = fp64({1});
  for (const Mode& mode : {Mode(mode::AbsError{}), Mode(mode::FpSpecial{}), Mode(mode::DotProduct{})}) {
    CHECK(needs_bounds(mode));
    CHECK(judge(fp32({1, 2}), reference, nullptr, {mode, DType::kFP32}).error().code == ErrorCode::kUsage);
    CHECK(judge(fp32({1, 2}), reference, &bounds, {mode, DType::kFP32}).error().code == ErrorCode::kMismatch);
  }
  const auto integers = tensor<std::int8_t>(DType::kINT8, {1});
  CHECK(judge(integers, integers, nullptr, {mode::Ulp{1, 1}, DType::kINT8}).error().code == ErrorCode::kUnsupported);
  CHECK(judge(fp32({1}), fp64({1}), &bounds, {mode::RescaleInexact{}, DType::kFP32}).error().code ==
        ErrorCode::kUnsupported);
  CHECK(judge(reference, reference, nullptr, {mode::Exact{}, DType::kFP64}).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("EXACT takes NaN for NaN alone", "[verify]") {
  for (const DType dtype : {DType::kFP8E4M3, DType::kFP8E5M2}) {
    CHECK(agrees(narrow(dtype, kNan), fp64({kNan}), mode::Exact{}));
    CHECK_FALSE(agrees(narrow(dtype, 1), fp64({kNan}), mode::Exact{}));
    CHECK_FALSE(agrees(narrow(dtype, kNan), fp64({1}), mode::Exact{}));
    CHECK(agrees(narrow(dtype, 1), fp64({1}), mode::Exact{}));
  }
}
