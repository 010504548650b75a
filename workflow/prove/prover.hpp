#pragma once
#include <macaw/npu/simulator.hpp>

#include <functional>

#include "workflow/prove/element_tags.hpp"
#include "workflow/prove/prove.hpp"
#include "workflow/prove/targets.hpp"

namespace macaw::prove {

/// Reference of a network: a graph, its tensors in one run, and those that are taken as given.
struct Model {
  const tosa::Graph& graph;
  Reference reference;
  std::map<TensorId, Given> given;
};

/// Input values of a target for which its operation differs from the graph.
struct Example {
  TensorId tensor = 0;               ///< of the target
  std::vector<Element> inputs;       ///< where the first element of each input comes from
  std::vector<std::int64_t> values;  ///< one for each
};

/// Judges the operations of a network one after the other, in the order of a run.
class Prover {
 public:
  /// The data that operations and CPU operators wrote in a run of the network; all but the model must outlive the
  /// prover.
  Prover(Model model, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
         const std::vector<Record>& records, const std::vector<compare::HostCall>& host_calls);

  /// Runs the network on the inputs of that run. `on_operation` is called for each judged operation.
  [[nodiscard]] Result<void> follow(const std::vector<npu::NamedTensor>& inputs,
                                    const std::function<void()>& on_operation = {});
  [[nodiscard]] Proof proof() const;
  /// The part of a tensor that an operation writes; null if unknown.
  [[nodiscard]] const Piece* written(std::size_t record) const { return targets_->written(record); }
  /// The operators between a tensor that operations write and those that it is computed from.
  [[nodiscard]] const std::vector<std::size_t>& operators_of(TensorId tensor) const {
    return targets_->of(tensor).operators;
  }
  [[nodiscard]] const std::vector<Example>& examples() const { return examples_; }
  /// Which input of the network a tensor is.
  [[nodiscard]] std::optional<std::size_t> input_number(TensorId tensor) const;

 private:
  /// A tensor that an operator of the CPU writes.
  struct HostTensor {
    std::size_t step = 0, output = 0;
    TensorId tensor = 0;
  };

  /// Identifies a result of CPU operators by its contents and takes it as given from here on.
  void choose_host_tensors(const std::vector<compare::HostCall>& calls);
  void choose_host_tensor(const compare::HostCall& call, std::size_t output);
  void host_operator(ElementTags& tags, std::size_t step) const;
  void operation(ElementTags& tags, std::size_t step, std::size_t r);
  /// Elements that an operation copies unchanged.
  std::optional<std::vector<ElementTag>> copied_elements(ElementTags& tags, std::size_t step,
                                                         const Record& record) const;
  std::string judge(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                    const Target& target);
  std::string judge_convolution(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                                const Target& target);
  std::string judge_copy(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece);
  TensorProof judge_output(const std::vector<ElementTag>& tags, TensorId tensor);
  std::string judge_elementwise(ElementTags& tags, std::size_t step, const Record& record, const Piece& piece,
                                const Target& target);
  /// Whether the tag stands for an element, wherever it was moved.
  [[nodiscard]] bool holds(const ElementTag& tag, const Element& wanted);
  /// The element of the graph that a tag refers to, assuming that its writer is right.
  [[nodiscard]] std::optional<Element> element_of(const ElementTag& tag) const;

  [[nodiscard]] static std::uint32_t operation_writer(std::size_t record) {
    return static_cast<std::uint32_t>(record + 1);
  }
  [[nodiscard]] std::uint32_t input_writer(std::size_t input) const {
    return static_cast<std::uint32_t>(records_.size() + 1 + input);
  }
  [[nodiscard]] std::uint32_t host_writer(std::ptrdiff_t host_tensor) const {
    return input_writer(model_.reference.inputs.size() + static_cast<std::size_t>(host_tensor));
  }

  Model model_;
  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  const std::vector<Record>& records_;
  std::vector<HostTensor> host_tensors_;
  std::optional<Targets> targets_;  ///< set when the given tensors are known
  std::vector<TensorProof> outputs_;
  std::vector<Example> examples_;
};

}  // namespace macaw::prove
