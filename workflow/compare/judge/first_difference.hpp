#pragma once
#include <vector>

#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/program.hpp"

namespace macaw::compare {

/// The inputs and results of a run of both.
struct Sides {
  const npu::Artifact& artifact;
  const npu::Accelerator& accelerator;
  const Trace& trace;
  const IntermediateMatches& intermediate;
  const Program* program = nullptr;  ///< null: its tensors alone are known
  const std::vector<Tensor>* inputs = nullptr;
};

/// The first wrong operator of a run. With outputs that differ it is the first that explains them, else the first that
/// is found, as a candidate; with equal outputs the first whose difference is evidence, and notes of the others. Where
/// no operator explains the outputs, those that it consists of are looked for as well.
[[nodiscard]] Location find_difference(const Sides& sides, const Reference& reference,
                                       const std::vector<OutputComparison>& outputs, const ConstantCheck& constants);

}  // namespace macaw::compare
