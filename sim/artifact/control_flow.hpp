#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace macaw::npu {

struct SubgraphInterface {
  std::vector<TensorBinding> inputs, outputs;
};

/// Adds IF and WHILE of a .tflite to an artifact as steps: copies of operands, jumps, and calls of subgraphs. The steps
/// of each called subgraph follow those of the network once. Each subgraph has its own memories.
class ControlFlow {
 public:
  /// Reads a subgraph and places its tensors; called once for each that is run.
  using Place = std::function<Result<SubgraphInterface>(std::size_t subgraph)>;

  ControlFlow(Artifact& artifact, std::size_t subgraphs, Place place)
      : artifact_(artifact), subgraphs_(subgraphs), place_(std::move(place)) {}

  /// An operator with the options of IF or WHILE; `name` as in "operator 3 (IF)".
  [[nodiscard]] Result<void> add(const std::string& name, const tflite::Options* options,
                                 const std::vector<TensorBinding>& inputs, const std::vector<TensorBinding>& outputs);
  [[nodiscard]] Result<SubgraphInterface> interface(std::int64_t subgraph);

  /// Ends the steps of the previous subgraph and begins those of a called subgraph that has no steps yet. Returns
  /// nullopt if every called subgraph has its steps.
  [[nodiscard]] std::optional<std::size_t> begin_subgraph();
  /// Ends the steps of the last subgraph.
  void end();

 private:
  Result<void> add_if(const std::string& name, const std::vector<TensorBinding>& inputs,
                      const std::vector<TensorBinding>& outputs, std::int64_t then_index, std::int64_t else_index);
  Result<void> add_while(const std::string& name, const std::vector<TensorBinding>& inputs,
                         const std::vector<TensorBinding>& outputs, std::int64_t condition_index,
                         std::int64_t body_index);
  void add_step(ControlStep step);
  /// Copies the arguments and runs the subgraph.
  Result<void> add_call(std::string name, const std::vector<TensorBinding>& from, std::int64_t subgraph);

  Artifact& artifact_;
  std::size_t subgraphs_;
  Place place_;
  std::map<std::size_t, SubgraphInterface> interfaces_;     ///< of the subgraphs that have been placed
  std::map<std::size_t, std::size_t> begins_;               ///< first step of each subgraph
  std::vector<std::pair<std::size_t, std::size_t>> calls_;  ///< steps with a call, and the subgraphs that they call
};

}  // namespace macaw::npu
