#pragma once
#include <macaw/npu/run.hpp>

#include <memory>
#include <string>
#include <vector>

#include "workflow/sequence/wiring.hpp"

namespace macaw::sequence {

/// How well the scores of an output predict the right classes: a class for each row of the output's last axis and each
/// step. A negative class is not counted.
class Score {
 public:
  /// By Wiring::scored and Wiring::classes. kMismatch for classes that are not integers, of another shape or all
  /// negative, and for an output without elements or of unknown shape; kUsage for one of integers without a scale.
  [[nodiscard]] static Result<Score> create(const Wiring& wiring);

  /// Steps that there are classes of.
  [[nodiscard]] std::size_t steps() const { return classes_.size() / rows_; }
  /// Adds the output of a step. kMismatch for a class that the output does not have, and for an output of another size.
  [[nodiscard]] Result<void> add(std::size_t step, const Tensor& output);
  /// kMismatch if no class was counted.
  [[nodiscard]] Result<npu::SequenceScore> result() const;

 private:
  std::string source_;                                ///< of the classes, for messages
  std::shared_ptr<const Quantization> quantization_;  ///< null: floating point
  std::vector<std::int64_t> classes_;
  std::size_t rows_ = 1, width_ = 1;  ///< of the output of a step
  std::uint64_t counted_ = 0, first_ = 0;
  double loss_ = 0;
};

}  // namespace macaw::sequence
