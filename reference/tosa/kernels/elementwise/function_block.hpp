#pragma once
#include <macaw/dtype.hpp>
#include <macaw/tosa/kernels.hpp>

#include <cstddef>
#include <cstdint>

// The elementary functions of reference/tosa/arith/elementary.hpp for blocks of elements.

namespace macaw::tosa {

enum class Function : std::uint8_t { kExp, kLog, kTanh, kSigmoid, kErf, kSin, kCos };

/// out[i] = the function of in[i].
using FunctionBlock = void (*)(const float* in, float* out, std::size_t count);
[[nodiscard]] FunctionBlock function_block(Function function, Kernels kernels);

/// out[i] = base[i] to the power of exponent[i].
using PowerBlock = void (*)(const float* base, const float* exponent, float* out, std::size_t count);
[[nodiscard]] PowerBlock power_block(Kernels kernels);

/// The same of encodings of a 16-bit type, rounded as encode_floats() does; whether some result is NaN.
using NarrowPowerBlock = bool (*)(const std::uint16_t* base, const std::uint16_t* exponent, std::uint16_t* out,
                                  std::size_t count);
/// Null where power_block() is the quickest.
[[nodiscard]] NarrowPowerBlock narrow_power_block(DType dtype, Kernels kernels);

}  // namespace macaw::tosa
