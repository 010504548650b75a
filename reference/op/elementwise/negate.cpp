#include <algorithm>
#include <limits>

#include "reference/fast/elementwise/broadcast.hpp"
#include "reference/fast/elementwise/float.hpp"
#include "reference/op/elementwise/arguments.hpp"

namespace macaw::tosa {
namespace {

constexpr Check kNegatedFits = found_by_kernel("output", "the negated value must fit the accumulator");

constexpr Argument kArguments[] = {
    {Category::kInput, "input1", "in_out_t", "shape"},
    {Category::kInput, "input1_zp", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kInput, "output_zp", "in_out_t", "[1]", 1, 1, false, true},
    {Category::kOutput, "output", "in_out_t", "shape"},
};
constexpr std::string_view kTypes[] = {"in_out_t", "acc_t"};

// out_zp - (value - in_zp), clipped: for int8 and int16 no step leaves 32 bits.
template <class T>
Result<void> narrow(Call& call) {
  const std::int32_t zero_points = std::int32_t{call.in_data<T>(1)[0]} + call.in_data<T>(2)[0];
  (void)unary<T, T>(call, [=](T a) {
    constexpr std::int32_t kMin = std::numeric_limits<T>::min(), kMax = std::numeric_limits<T>::max();
    return static_cast<T>(std::clamp(zero_points - a, kMin, kMax));
  });
  return {};
}

// The zero points are 0 (the checks say so). Only the least value has no opposite.
template <class T>
Result<void> wide(Call& call) {
  using U = std::make_unsigned_t<T>;
  const bool holds = unary<T, T>(call, [](T a, T& mark) {
    const auto result = static_cast<T>(U{0} - static_cast<U>(a));
    mark |= a & result;
    return result;
  });
  call.require(holds, kNegatedFits);
  return {};
}

constexpr Kernel kFloat = kFloatUnary<[](auto a) { return -a; }>;

constexpr TypeRow kRows[] = {
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, narrow<std::int8_t>},
    {{DType::kINT16, DType::kINT32}, kInProInt, 0, narrow<std::int16_t>},
    {{DType::kINT32, DType::kINT32}, kInProInt, 0, wide<std::int32_t>},
    {{DType::kINT64, DType::kINT64}, kInExtInt64, 1, wide<std::int64_t>},
    {{DType::kFP16, DType::kFP16}, kInProFp, 0, kFloat},
    {{DType::kBF16, DType::kBF16}, kInExtBf16, 0, kFloat},
    {{DType::kFP32, DType::kFP32}, kInProFp, 0, kFloat},
};
constexpr Check kChecks[] = {
    {Rule::kErrorIf, "input1_zp", "input1_zp must be 0 unless the input is int8",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(1); }, value_of(1)},
    {Rule::kErrorIf, "output_zp", "output_zp must be 0 unless the output is int8",
     [](const View& v) { return v.inputs[0].dtype != DType::kINT8 && !v.is_zero(2); }, value_of(2)},
    kNegatedFits,
};

}  // namespace

extern constexpr Definition kNEGATE = {Op::kNEGATE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa
