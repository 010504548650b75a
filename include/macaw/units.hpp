#pragma once
#include <compare>
#include <cstdint>
#include <ostream>

namespace macaw {

/// A counted quantity of one unit. Quantities add, subtract and compare with their own kind only; a number multiplies
/// or divides them, and dividing two of a kind gives a number. Counts wrap as std::uint64_t does.
template <class Unit>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t count) : count_(count) {}
  /// The bare number, for what knows no units.
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return Quantity(a.count_ * n); }
  friend constexpr Quantity operator*(std::uint64_t n, Quantity a) { return Quantity(n * a.count_); }
  friend constexpr Quantity operator/(Quantity a, std::uint64_t n) { return Quantity(a.count_ / n); }
  friend constexpr std::uint64_t operator/(Quantity a, Quantity b) { return a.count_ / b.count_; }
  friend constexpr Quantity operator%(Quantity a, Quantity b) { return Quantity(a.count_ % b.count_); }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend std::ostream& operator<<(std::ostream& os, Quantity a) { return os << a.count_; }

 private:
  std::uint64_t count_ = 0;
};

using Cycles = Quantity<struct CyclesUnit>;  ///< cycles of the NPU's clock
using Ticks = Quantity<struct TicksUnit>;    ///< thousandths of a cycle, the time of the timed model
using Beats = Quantity<struct BeatsUnit>;    ///< words of an AXI data bus: 8 bytes on U55, 16 on U65 and U85

}  // namespace macaw
