#pragma once
#include "workflow/compare/match/alignment.hpp"

#include <optional>
#include <vector>

namespace macaw::compare {

/// A sequence of operations that implement the steps of an operator whose input is right.
struct StepMatch {
  std::size_t op = 0;     ///< in Reference::operators
  std::size_t form = 0;   ///< in ReferenceOperator::forms
  std::size_t first = 0;  ///< record of its first step
  std::size_t steps = 0;

  /// The first step whose operation wrote other data, or read its operand from elsewhere.
  [[nodiscard]] std::optional<std::size_t> wrong(const Reference& reference, const std::vector<Record>& records) const;
  /// Records that should have written the operand of a step, but wrote none of it or more than it.
  [[nodiscard]] std::vector<std::size_t> unread(const Reference& reference, const std::vector<Record>& records,
                                                std::size_t step) const;
};

/// Whether an operation wrote the result of the step.
[[nodiscard]] bool is_right_step(const Record& record, const ReferenceStep& step);

struct WrongStep {
  StepMatch match;
  std::size_t number = 0;  ///< of the step

  [[nodiscard]] std::size_t record() const { return match.first + number; }
};

/// Finds operations with the types and sizes of the steps, of which up to two may be wrong. If several sequences match,
/// the one that agrees in most contents is chosen, else the next one in order.
[[nodiscard]] std::vector<StepMatch> match_steps(const Reference& reference, const Alignment& alignment,
                                                 const std::vector<Record>& records);

}  // namespace macaw::compare
