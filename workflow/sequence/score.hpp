#pragma once
#include <macaw/npu/run.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "workflow/sequence/wiring.hpp"

namespace macaw::sequence {

/// How well the scores of an output predict the right classes: a class for each row of the output's last axis and each
/// step. A negative class is not counted.
class Score {
 public:
  /// By Wiring::scored and Wiring::classes. kMismatch for classes that are not integers or of another shape, and for an
  /// output whose last axis is not known; kUsage for one of integers without a scale.
  [[nodiscard]] static Result<Score> create(const Wiring& wiring);

  /// Steps that there are classes of.
  [[nodiscard]] std::size_t steps() const { return classes_.size() / std::max<std::size_t>(rows_, 1); }
  /// Adds the output of a step. kMismatch for a class that the output does not have.
  [[nodiscard]] Result<void> add(std::size_t step, const Tensor& output);
  [[nodiscard]] npu::SequenceScore result() const;

 private:
  std::string source_;  ///< of the classes, for messages
  std::shared_ptr<const Quantization> quantization_;  ///< null: floating point
  std::vector<std::int64_t> classes_;
  std::size_t rows_ = 1;  ///< of a step
  std::uint64_t counted_ = 0, first_ = 0;
  double loss_ = 0;
};

}  // namespace macaw::sequence
