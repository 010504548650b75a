#pragma once
#include <cstdint>

#include "reference/fast/window/accumulator.hpp"

namespace macaw::tosa {

/// A sum of products of integers as the specification computes it, one apply_add_s after the other: of 32 bits for
/// int8, of 48 bits for int16 inputs.
template <class In>
class Sum {
 public:
  explicit Sum(std::int64_t value = 0) : value_(value) {}

  void add(std::int64_t term) {
    value_ += term;
    fits_ &= value_ >= -kAccumulatorMaximum<In> - 1 && value_ <= kAccumulatorMaximum<In>;
  }
  [[nodiscard]] Accumulator<In> value() const { return static_cast<Accumulator<In>>(value_); }
  /// Whether it did after every term.
  [[nodiscard]] bool fits() const { return fits_; }

 private:
  std::int64_t value_;
  bool fits_ = true;
};

/// A value less the zero point that an operand of one element holds.
template <class T>
std::int64_t zero_point(const Call& call, std::size_t operand) {
  return call.in_data<T>(operand)[0];
}

}  // namespace macaw::tosa
