#pragma once
#include <macaw/npu/accelerator.hpp>

#include <array>

namespace macaw::npu::detail {

#define MACAW_ACCELERATOR(...) Accelerator{__VA_ARGS__},
/// The rows of accelerators.def, for use at compile time; other code calls accelerators().
inline constexpr auto kAccelerators = [] {
  using enum Family;
  return std::to_array<Accelerator>({
#include "sim/isa/accelerators.def"
  });
}();
#undef MACAW_ACCELERATOR

#define MACAW_FAMILY(...) FamilyTraits{__VA_ARGS__},
/// The rows of families.def, for the same purpose.
inline constexpr auto kFamilies = [] {
  using enum Family;
  return std::to_array<FamilyTraits>({
#include "sim/isa/families.def"
  });
}();
#undef MACAW_FAMILY

}  // namespace macaw::npu::detail
