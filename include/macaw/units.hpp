#pragma once
#include <compare>
#include <cstdint>

namespace macaw {

/// A counted quantity; different units do not mix.
template <class Tag>
struct Quantity {
  std::uint64_t value = 0;

  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t v) : value(v) {}
  constexpr Quantity& operator+=(Quantity o) {
    value += o.value;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value -= o.value;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return Quantity(a.value * n); }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

using Cycles = Quantity<struct CyclesTag>;  ///< NPU core clock cycles
using Beats = Quantity<struct BeatsTag>;    ///< AXI data-bus words: 8 bytes on U55, 16 on U65 and U85
using Bytes = Quantity<struct BytesTag>;

}  // namespace macaw
