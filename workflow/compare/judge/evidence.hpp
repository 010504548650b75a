#pragma once
#include <macaw/tensor.hpp>

#include <set>
#include <string>
#include <vector>

#include "workflow/compare/judge/wrong_operator.hpp"
#include "workflow/compare/program.hpp"

namespace macaw::compare {

/// Separates differences that can be reproduced from guesses, by running the program again on what the NPU wrote.
class Evidence {
 public:
  /// `actual`: the outputs of the compiled network for `inputs`.
  Evidence(const Program& program, const std::vector<Tensor>& inputs, const Reference& reference,
           const std::vector<Tensor>& actual)
      : program_(program), inputs_(inputs), reference_(reference), actual_(actual) {}

  /// For outputs that differ: the operations read what they should, and the program, continued from what they wrote for
  /// the tensor, gives exactly the outputs of the network.
  [[nodiscard]] bool explains_outputs(const WrongOperator& wrong) const;
  /// For outputs that are equal: empty if an inner tensor does differ, else why that is not shown. Its operator,
  /// computed again from the tensors that the NPU read, gives something else than was written; the program, continued
  /// from what was written, gives the outputs of the network; and an output depends on the elements that differ.
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
