#include <algorithm>
#include <limits>

#include "reference/tosa/kernels/elementwise/broadcast.hpp"
#include "reference/tosa/kernels/elementwise/float.hpp"
#include "reference/tosa/op/declare.hpp"
#include "reference/tosa/op/elementwise/arguments.hpp"

namespace macaw::tosa::NEGATE {
namespace {

constexpr Check kNegatedFits = found_by_kernel("output", "the negated value must fit the accumulator");

constexpr Argument kArguments[] = {
    input("input1").type("in_out_t").shape("shape"),
    input("input1_zp").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    input("output_zp").type("in_out_t").shape("[1]").rank(1).compile_time_constant(),
    output("output").type("in_out_t").shape("shape"),
};
using V = ViewOf<kArguments>;
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

// The zero points are 0 (the checks ensure it). Only the least value has no negation.
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
    row({kINT8, kINT32}).in(kProInt).by(narrow<std::int8_t>),
    row({kINT16, kINT32}).in(kProInt).by(narrow<std::int16_t>),
    row({kINT32, kINT32}).in(kProInt).by(wide<std::int32_t>),
    row({kINT64, kINT64}).in(kExtInt64).since(1, 1).by(wide<std::int64_t>),
    row({kFP16, kFP16}).in(kProFp).by(kFloat),
    row({kBF16, kBF16}).in(kExtBf16).by(kFloat),
    row({kFP32, kFP32}).in(kProFp).by(kFloat),
};
constexpr Check kChecks[] = {
    error_if("input1_zp", "input1_zp must be 0 unless the input is int8",
             [](const V& v) { return v.dtype("input1") != kINT8 && !v.is_zero("input1_zp"); })
        .reads("input1_zp"),
    error_if("output_zp", "output_zp must be 0 unless the output is int8",
             [](const V& v) { return v.dtype("input1") != kINT8 && !v.is_zero("output_zp"); })
        .reads("output_zp"),
    kNegatedFits,
};

}  // namespace

extern constexpr Definition kDefinition = {Op::kNEGATE, kArguments, kTypes, kRows, kChecks};

}  // namespace macaw::tosa::NEGATE
