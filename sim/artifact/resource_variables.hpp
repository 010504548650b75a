#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/tflite/model.hpp"

namespace macaw::npu {

/// An operator that a .tflite leaves to the CPU.
struct PlacedOperator {
  std::size_t subgraph = 0;
  std::string place;  ///< "operator 3 (READ_VARIABLE)"
  const tflite::schema::Operator& table;
  HostOperator host;  ///< with the operands that the file lists
};

/// Adds operators of the CPU to an artifact: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE and CALL_ONCE with changed
/// operands, all others unchanged. Each variable has its own memory and is one of the artifact's variables; handles are
/// traced from VAR_HANDLE to the operators of the same subgraph, whose operands become the variables instead:
///   VAR_HANDLE       none: it moves no data
///   READ_VARIABLE    variable -> tensor
///   ASSIGN_VARIABLE  tensor -> variable
///   CALL_ONCE        whether it has run (one BOOL, itself a variable), then pairs of a variable and the
///                    constant that the subgraph assigns to it; all variables are state
/// Source: tensorflow/tflite-micro @0cc6f9832 tensorflow/lite/micro/kernels/{var_handle,read_variable,assign_variable,
/// call_once}.cc.
class ResourceVariables {
 public:
  ResourceVariables(Artifact& artifact, const tflite::Model& file) : artifact_(artifact), file_(file) {}

  /// kInvalidFile for operands that do not fit; kUnsupported for handles that do not come from a VAR_HANDLE of their
  /// subgraph, and for a CALL_ONCE of a subgraph that does more than assign constants.
  [[nodiscard]] Result<void> add(PlacedOperator op);

 private:
  using Key = std::pair<std::string, std::string>;  // container and name

  [[nodiscard]] Result<Key> key_of(const tflite::schema::Operator& op, const std::string& place) const;
  [[nodiscard]] Result<std::int32_t> operand(const flatbuffers::Vector<std::int32_t>* list, std::size_t index,
                                             const std::string& place) const;
  /// Returns the variable that the handle in the first operand refers to; a new one has the extent of `like`.
  [[nodiscard]] Result<TensorBinding> variable(const PlacedOperator& op, const TensorBinding& like);
  [[nodiscard]] Result<TensorBinding> variable(const Key& key, const TensorBinding& like, const std::string& place);
  [[nodiscard]] Result<void> add_call_once(const PlacedOperator& op);
  [[nodiscard]] Result<void> add_first_value(const tflite::schema::SubGraph& graph, std::int32_t tensor, const Key& key,
                                             const std::string& place, HostOperator& host);

  Artifact& artifact_;
  const tflite::Model& file_;
  std::map<std::pair<std::size_t, std::int32_t>, Key> handles_;  ///< subgraph and tensor
  std::map<Key, TensorBinding> variables_;
  std::map<std::uint32_t, int> first_values_;  ///< by buffer: index of the memory with its bytes
  std::size_t operators_ = 0;                  ///< operators read so far in subgraphs that CALL_ONCE runs
};

}  // namespace macaw::npu
