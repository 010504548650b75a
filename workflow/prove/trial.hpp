#pragma once
#include <functional>
#include <string>
#include <vector>

#include "workflow/compare/program.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::prove {

/// Inputs of a network on which source and compiled form were run, with the comparison of their outputs.
struct Trial {
  std::string name;  ///< "seed 7"
  std::vector<Tensor> inputs;
  std::vector<compare::OutputComparison> outputs;

  [[nodiscard]] bool differs() const;
  /// Description of the first output that differs; empty if all are equal.
  [[nodiscard]] std::string difference() const;
};

/// "output 'x' differs in 5 of 100 elements, first at [0, 1]: 3 in the graph, 4 in the network"; empty if all are
/// equal.
[[nodiscard]] std::string first_difference(const std::vector<compare::OutputComparison>& outputs);

/// Runs source and compiled network. Errors: those of Program::reference(), compare::compare_outputs() and
/// npu::execute().
[[nodiscard]] Result<Trial> run_trial(const compare::Program& program, const npu::Artifact& artifact,
                                      const npu::Accelerator& accelerator, std::string name,
                                      std::vector<Tensor> inputs);

/// Inputs that random generation rarely produces: all elements at the minimum, the maximum, or zero, and rising values.
/// Inputs of floating-point types keep the values of `like`.
struct NamedInputs {
  std::string name;
  std::vector<Tensor> tensors;
};
[[nodiscard]] std::vector<NamedInputs> boundary_inputs(const std::vector<Tensor>& like);

/// Sets every element of an input to a value.
void fill(Tensor& tensor, std::int64_t value);

}  // namespace macaw::prove
