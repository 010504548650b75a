#pragma once
#include <macaw/tensor.hpp>

#include <set>
#include <string>
#include <vector>

#include "workflow/compare/judge/wrong_operator.hpp"
#include "workflow/compare/program.hpp"

namespace macaw::compare {

/// Separates reproducible differences from guesses by running the program again with tensors that the NPU wrote.
class Evidence {
 public:
  /// `actual`: the outputs of the compiled network for `inputs`.
  Evidence(const Program& program, const std::vector<Tensor>& inputs, const Reference& reference,
           const std::vector<Tensor>& actual)
      : program_(program), inputs_(inputs), reference_(reference), actual_(actual) {}

  /// For outputs that differ: whether the operations read the right data, and the program, continued from what they
  /// wrote for the tensor, gives exactly the outputs of the network.
  [[nodiscard]] bool explains_outputs(const WrongOperator& wrong) const;
  /// For equal outputs: empty if an inner tensor really differs, else why that is not shown. It is shown if its
  /// operator, recomputed from the tensors that the NPU read, gives a result other than what was written; if the
  /// program, continued from what was written, gives the network's outputs; and if an output depends on the differing
  /// elements.
  [[nodiscard]] std::string doubt(const WrongOperator& wrong) const;

 private:
  [[nodiscard]] bool gives_outputs(TensorId tensor, const std::vector<std::byte>& contents) const;
  [[nodiscard]] bool output_depends_on_difference(const WrongOperator& wrong) const;

  const Program& program_;
  const std::vector<Tensor>& inputs_;
  const Reference& reference_;
  const std::vector<Tensor>& actual_;
};

}  // namespace macaw::compare
