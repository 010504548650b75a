#pragma once
#include <functional>

#include "workflow/prove/prover.hpp"
#include "workflow/prove/trial.hpp"

namespace macaw::prove {

/// A function that computes the tensors of a network's exact part for inputs.
using ModelOf = std::function<Result<Model>(const std::vector<Tensor>& inputs)>;

/// The first output that differs, refuted by the inputs of a trial, without an operator.
[[nodiscard]] TensorProof output_entry(const Trial& trial, const std::vector<compare::OutputComparison>& outputs);

/// Names the operators that are wrong for inputs on which outputs differ, one after the other: each is replaced by the
/// network's results until the outputs are those of the graph. Every entry is refuted by these inputs; if no operator
/// is found, the last entry is about an output. `program` is the source, `model_of` its exact part; `prover` has judged
/// a run whose outputs are right; null: there is none. `reproduces`: entries contain their operators as a network, if
/// they can run alone. Errors: those of run_trial().
[[nodiscard]] Result<std::vector<TensorProof>> refute(const compare::Program& program, const npu::Artifact& artifact,
                                                      const npu::Accelerator& accelerator, const Trial& trial,
                                                      const ModelOf& model_of, const Prover* prover, bool reproduces);

}  // namespace macaw::prove
