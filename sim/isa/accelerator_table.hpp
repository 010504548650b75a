#pragma once
#include <macaw/npu/accelerator.hpp>

namespace macaw::npu::detail {

using enum Family;
#define MACAW_ACCELERATOR(...) Accelerator{__VA_ARGS__},
/// The rows of accelerators.def, for what is settled at compile time; everything else asks accelerators().
inline constexpr Accelerator kAccelerators[] = {
#include "sim/isa/accelerators.def"
};
#undef MACAW_ACCELERATOR

}  // namespace macaw::npu::detail
