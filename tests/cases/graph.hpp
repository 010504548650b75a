#pragma once
#include <optional>
#include <string>

#include "tests/cases/case.hpp"

namespace macaw::test {

/// A graph put together from cases, and the inputs to run it on. Every result is an output of the graph.
class CaseGraph {
 public:
  explicit CaseGraph(const tosa::Version& version = tosa::kVersion1_1);

  /// Appends a case; `given` is the value that its input Case::given is. An operand that must be a constant is one; so
  /// is any other if `constants` says so. Returns the values of the results.
  std::vector<tosa::ValueId> append(const Case& c, std::optional<tosa::ValueId> given = {}, bool constants = false);

  tosa::Graph graph;
  std::vector<Tensor> inputs;

 private:
  tosa::ValueId value(DType dtype, Shape shape);
  tosa::ValueId operand(const Tensor& tensor, bool constant);
};

/// The graph of one case.
[[nodiscard]] CaseGraph graph_of(const Case& c, const tosa::Version& version = tosa::kVersion1_1);

}  // namespace macaw::test
