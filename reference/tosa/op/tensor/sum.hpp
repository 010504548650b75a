#pragma once
#include <cstdint>

#include "reference/tosa/kernels/window/accumulator.hpp"

namespace macaw::tosa {

/// A sum as the specification computes it, one apply_add_s after the other: of 32 bits (std::int32_t) or 48 bits
/// (std::int64_t).
template <class T>
class Sum {
 public:
  explicit Sum(std::int64_t value = 0) : value_(value) {}

  void add(std::int64_t term) {
    constexpr auto kLargest = kMaximum<(sizeof(T) == 4 ? DType::kINT32 : DType::kINT48)>;
    value_ += term;
    fits_ &= value_ >= -kLargest - 1 && value_ <= kLargest;
  }
  [[nodiscard]] T value() const { return static_cast<T>(value_); }
  /// Whether it did after every term.
  [[nodiscard]] bool fits() const { return fits_; }

 private:
  std::int64_t value_;
  bool fits_ = true;
};

/// The zero point that an operand of one element holds.
template <class T>
std::int64_t zero_point(const Call& call, std::size_t operand) {
  return call.in_data<T>(operand)[0];
}

}  // namespace macaw::tosa
