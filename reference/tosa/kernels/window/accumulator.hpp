#pragma once
#include <cstdint>
#include <type_traits>

#include "reference/tosa/arith/checked.hpp"
#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Accumulator and output of an integer multiply-accumulate operator: INT32 for int8, INT48 for int16 inputs.
template <class In>
using Accumulator = std::conditional_t<sizeof(In) == 1, std::int32_t, std::int64_t>;
template <class In>
inline constexpr std::int64_t kAccumulatorMaximum = kMaximum < sizeof(In) == 1 ? DType::kINT32 : DType::kINT48 > ;

/// out[i] = sum[i] + bias[i * bias_step]; returns whether all fit (32 or 48 bits), wrapped if not.
template <class Sum>
[[nodiscard]] bool add_bias(const Sum* sum, const Sum* bias, std::int64_t bias_step, std::size_t count, Sum* out) {
  using U = std::make_unsigned_t<Sum>;
  constexpr int kBits = sizeof(Sum) == 4 ? 32 : 48;
  Sum mark = 0;
  const auto add = [&](Sum a, Sum b) {
    const auto result = static_cast<Sum>(static_cast<U>(a) + static_cast<U>(b));
    if constexpr (kBits == 32) mark |= (a ^ result) & (b ^ result);
    else mark |= result ^ static_cast<Sum>(static_cast<U>(result) << (64 - kBits));
    return result;
  };
  if (bias_step == 0) {
    const auto value = *bias;
    for (std::size_t i = 0; i < count; ++i) out[i] = add(sum[i], value);
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i] = add(sum[i], bias[i]);
  }
  return mark >= 0;
}

inline constexpr Check kSumFits =
    found_by_kernel("output", "every sum must fit the accumulator, and with the bias the output");

}  // namespace macaw::tosa
