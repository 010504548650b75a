#pragma once
#include <functional>

#include "workflow/prove/prover.hpp"
#include "workflow/prove/trial.hpp"

namespace macaw::prove {

/// A function that computes the tensors of a network's exact part for inputs.
using ModelOf = std::function<Result<Model>(const std::vector<Tensor>& inputs)>;

/// The first output that differs, refuted by the inputs of a trial: the operator is not known.
[[nodiscard]] TensorProof output_entry(const Trial& trial, const std::vector<compare::OutputComparison>& outputs);

/// Names the operators that are wrong for inputs on which outputs differ, one after the other: each is replaced by what
/// the network computes in its place, until the outputs are those of the graph. Every entry is refuted by these inputs;
/// the last is about an output where no operator is known. `program` is what was given, `model_of` its exact part,
/// `prover` has judged a run whose outputs are right; null: there is none. `reproduces`: entries get their operators as
/// a network, where they can stand alone. Errors: those of run_trial().
[[nodiscard]] Result<std::vector<TensorProof>> refute(const compare::Program& program, const npu::Artifact& artifact,
                                                      const npu::Accelerator& accelerator, const Trial& trial,
                                                      const ModelOf& model_of, const Prover* prover, bool reproduces);

}  // namespace macaw::prove
