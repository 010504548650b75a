#pragma once
#include <macaw/tosa/graph.hpp>

#include <map>
#include <string>
#include <vector>

namespace macaw::tosa {

/// The variables of a graph as files have them: a tensor in the list of every block that reads or writes it, in the
/// place of the operator's attribute `name`.
class VariableTensors {
 public:
  explicit VariableTensors(const Graph& graph);

  /// The tensor of the variable that the operator of a block names: one of the block's own values, or the declaration.
  /// kInvalidGraph if nothing declares the variable.
  [[nodiscard]] Result<const Value*> find(const Block& block, const Operator& op) const;
  /// Variables that the operators of a block use and that are missing among its values.
  [[nodiscard]] Result<std::vector<const Value*>> missing(const Block& block) const;

 private:
  std::map<std::string, const Value*> declared_;
};

}  // namespace macaw::tosa
