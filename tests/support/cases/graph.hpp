#pragma once
#include <map>
#include <optional>
#include <string>

#include "tests/support/cases/case.hpp"

namespace macaw::test {

/// A graph put together from cases, and the inputs to run it on. Every result in the main block is an output of the
/// graph.
class CaseGraph {
 public:
  /// Values that are inputs of a case, by the index of the input.
  using Given = std::map<std::size_t, tosa::ValueId>;

  explicit CaseGraph(const tosa::Version& version = tosa::kVersion1_1);

  /// Appends a case; `given` is the value that its input Case::given is. An operand that must be a constant is one; so
  /// is any other if `constants` says so. Returns the values of the results.
  std::vector<tosa::ValueId> append(const Case& c, std::optional<tosa::ValueId> given = {}, bool constants = false);
  /// The same in any block (an index of Graph::blocks).
  std::vector<tosa::ValueId> append(const Case& c, const Given& given, bool constants, std::size_t block);

  /// A new block, without inputs and outputs. Returns its index.
  std::size_t add_block();
  tosa::ValueId add_value(DType dtype, Shape shape, std::size_t block = 0);
  /// A value that holds a tensor: a constant, or an input of the graph. Outside the main block always a constant.
  tosa::ValueId add_operand(const Tensor& tensor, bool constant, std::size_t block = 0);

  tosa::Graph graph;
  std::vector<Tensor> inputs;
};

/// The graph of one case.
[[nodiscard]] CaseGraph graph_of(const Case& c, const tosa::Version& version = tosa::kVersion1_1);

}  // namespace macaw::test
