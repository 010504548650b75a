#pragma once
#include <macaw/tosa/verify.hpp>

#include <string_view>

#include "reference/tosa/verify/float_format.hpp"

namespace macaw::tosa::verify {

/// Tensors of equal shape and of the types that a mode is defined for; `bounds` is null only if the mode needs none.
struct Operands {
  const Tensor& result;
  const Tensor& reference;
  const Tensor* bounds;
};

/// Values of one element, and its permitted range.
struct Element {
  double value, reference, lowest, highest;
};

/// Collects the errors in the elements of one tensor.
class Findings {
 public:
  Findings(std::string_view mode, const Tensor& tensor) : mode_(mode), tensor_(tensor) {}

  void outside(std::int64_t index, const Element& element);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] Judgement judgement() const;

 private:
  std::string_view mode_;
  const Tensor& tensor_;
  std::int64_t count_ = 0, first_ = 0;
  Element element_{};
};

/// "[0, 3, 1]"
[[nodiscard]] std::string position(std::int64_t index, const Shape& shape);

/// `format` is null for integers and block-scaled types.
[[nodiscard]] Judgement judge_exact(const Operands& operands, const FloatFormat* format);
[[nodiscard]] Result<Judgement> judge_block_scale(const Operands& operands, const mode::ToBlock& mode);
[[nodiscard]] Result<Judgement> judge_rescale_inexact(const Operands& operands, const mode::RescaleInexact& mode);

// The modes of floating point results.
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::Ulp& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::AbsError& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::Relative& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::ReduceProduct& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::FpSpecial& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::DotProduct& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::FromBlock& mode);
[[nodiscard]] Judgement judge_as(const Operands& operands, const FloatFormat& format, const mode::Tolerance& mode);

}  // namespace macaw::tosa::verify
