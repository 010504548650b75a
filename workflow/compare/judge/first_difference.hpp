#pragma once
#include <vector>

#include "workflow/compare/judge/locate.hpp"
#include "workflow/compare/program.hpp"

namespace macaw::compare {

/// Inputs and results of a run on both sides.
struct Sides {
  const npu::Artifact& artifact;
  const npu::Accelerator& accelerator;
  const Trace& trace;
  const IntermediateMatches& intermediate;
  const Program* program = nullptr;  ///< null: only its tensors are known
  const std::vector<Tensor>* inputs = nullptr;
};

/// The first wrong operator of a run. If outputs differ, it is the first operator that explains them, else the first
/// one found, as a candidate. If outputs are equal, it is the first one with evidence; the others become notes. If no
/// operator explains the outputs, the smaller operators that it is lowered to are searched as well.
[[nodiscard]] Location find_difference(const Sides& sides, const Reference& reference,
                                       const std::vector<OutputComparison>& outputs, const ConstantCheck& constants);

}  // namespace macaw::compare
