#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/operators/naive/naive.hpp"

// Graphs as the specification executes them (tosa_execute_graph; pseudocode/operators: COND_IF, WHILE_LOOP, VARIABLE,
// VARIABLE_READ, VARIABLE_WRITE). CUSTOM is the operator of docs/examples/custom_op.

namespace macaw::test::naive {

/// Contents of the variables that have been written, by name.
using Variables = std::map<std::string, Tensor>;

/// Results of an operator that depends on its inputs alone. Throws Unpredictable.
[[nodiscard]] std::vector<Tensor> compute(const tosa::Operator& op, std::span<const Tensor> inputs,
                                          std::span<const std::pair<DType, Shape>> outputs);

/// One execution of a graph. A copy goes on from the same state.
class Execution {
 public:
  explicit Execution(const tosa::Graph& graph, Variables variables = {})
      : graph_(&graph), variables_(std::move(variables)) {}

  /// Outputs of a block. Throws Unpredictable.
  std::vector<Tensor> run(const tosa::Block& block, const std::vector<Tensor>& inputs);
  /// Results of one operator of a block. Throws Unpredictable.
  std::vector<Tensor> run(const tosa::Block& block, const tosa::Operator& op, const std::vector<Tensor>& inputs);
  [[nodiscard]] const Variables& variables() const { return variables_; }

 private:
  std::vector<Tensor> run(const tosa::Operator& op, tosa::Attr block, const std::vector<Tensor>& inputs);
  std::vector<Tensor> loop(const tosa::Operator& op, std::vector<Tensor> list);
  void declare(const std::string& name, const tosa::Value& value);

  const tosa::Graph* graph_;
  Variables variables_;
  std::set<std::string> seen_;
};

}  // namespace macaw::test::naive
