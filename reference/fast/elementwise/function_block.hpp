#pragma once
#include <macaw/tosa/kernels.hpp>

#include <cstddef>
#include <cstdint>

// The elementary functions of reference/arith/elementary.hpp for blocks of elements.

namespace macaw::tosa {

enum class Function : std::uint8_t { kExp, kLog, kTanh, kSigmoid, kErf, kSin, kCos };

/// out[i] = the function of in[i].
using FunctionBlock = void (*)(const float* in, float* out, std::size_t count);
[[nodiscard]] FunctionBlock function_block(Function function, Kernels kernels);

/// out[i] = base[i] to the power of exponent[i].
using PowerBlock = void (*)(const float* base, const float* exponent, float* out, std::size_t count);
[[nodiscard]] PowerBlock power_block(Kernels kernels);

}  // namespace macaw::tosa
