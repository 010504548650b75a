#pragma once
#include "sim/host/fixed_point.hpp"
#include "sim/host/kernels.hpp"

#include <limits>

namespace macaw::npu::host {

struct Affine {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// The one scale and zero point of a tensor: the scale positive and finite, the zero point a value of its type.
[[nodiscard]] Result<Affine> affine(const TensorBinding& binding);

struct Range {
  std::int32_t min, max;
};

/// Values of an integer type up to 32 bits; kUnsupported for other types.
[[nodiscard]] Result<Range> range_of(DType dtype);

/// Range of an output that a fused activation leaves. kUnsupported for those that are not a clamp.
[[nodiscard]] Result<Range> activation_range(HostActivation activation, DType dtype, Affine output);

/// Calls f with a value of the C++ type of an integer tensor: int8, uint8, int16 or int32.
template <class F>
[[nodiscard]] Result<void> with_integer(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kINT8: return f(std::int8_t{});
    case DType::kUINT8: return f(std::uint8_t{});
    case DType::kINT16: return f(std::int16_t{});
    case DType::kINT32: return f(std::int32_t{});
    default: return unsupported(std::string("elements of type ") + std::string(macaw::to_string(dtype)));
  }
}

}  // namespace macaw::npu::host
