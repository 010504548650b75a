#pragma once
#include "workflow/compare/match/alignment.hpp"

#include <optional>
#include <vector>

namespace macaw::compare {

/// Operations, one after the other, that take the steps of an operator whose input is right.
struct StepMatch {
  std::size_t op = 0;     ///< in Reference::operators
  std::size_t form = 0;   ///< in ReferenceOperator::forms
  std::size_t first = 0;  ///< record of its first step
  std::size_t steps = 0;

  /// The first step whose operation wrote something else, or read it from elsewhere.
  [[nodiscard]] std::optional<std::size_t> wrong(const Reference& reference, const std::vector<Record>& records) const;
  /// Records that should have written what the operation of a step reads, but wrote nothing of it, or not just that.
  [[nodiscard]] std::vector<std::size_t> unread(const Reference& reference, const std::vector<Record>& records,
                                                std::size_t step) const;
};

/// Whether an operation wrote what the step gives.
[[nodiscard]] bool is_right_step(const Record& record, const ReferenceStep& step);

struct WrongStep {
  StepMatch match;
  std::size_t number = 0;  ///< of the step

  [[nodiscard]] std::size_t record() const { return match.first + number; }
};

/// Finds operations with the steps' types and sizes, of which two may be wrong. Where there are several rows of them
/// those that agree in most contents are meant, or the next.
[[nodiscard]] std::vector<StepMatch> match_steps(const Reference& reference, const Alignment& alignment,
                                                 const std::vector<Record>& records);

}  // namespace macaw::compare
