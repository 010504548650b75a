#pragma once
#include <functional>
#include <string>
#include <vector>

#include "workflow/compare/program.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::prove {

/// Inputs of a network, on which the network and its compiled form were run, and how their outputs compare.
struct Trial {
  std::string name;  ///< "seed 7"
  std::vector<Tensor> inputs;
  std::vector<compare::OutputComparison> outputs;

  [[nodiscard]] bool differs() const;
  /// The first output that differs, in words; empty if all are equal.
  [[nodiscard]] std::string difference() const;
};

/// "output 'x' differs in 5 of 100 elements, first at [0, 1]: 3 in the graph, 4 in the network"; empty if all are
/// equal.
[[nodiscard]] std::string first_difference(const std::vector<compare::OutputComparison>& outputs);

/// Runs both. Errors: those of Program::reference(), compare::compare_outputs() and npu::execute().
[[nodiscard]] Result<Trial> run_trial(const compare::Program& program, const npu::Artifact& artifact,
                                      const npu::Accelerator& accelerator, std::string name,
                                      std::vector<Tensor> inputs);

/// Inputs that random ones seldom are: every element the least value of its type, the greatest, zero, and values that
/// rise from element to element. Inputs of floating-point types stay as they are in `like`.
struct NamedInputs {
  std::string name;
  std::vector<Tensor> tensors;
};
[[nodiscard]] std::vector<NamedInputs> boundary_inputs(const std::vector<Tensor>& like);

/// The inputs with every element of one of them set to a value.
void fill(Tensor& tensor, std::int64_t value);

}  // namespace macaw::prove
