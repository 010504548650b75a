#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workflow/compare/inputs.hpp"
#include "workflow/compare/reference.hpp"

namespace macaw::compare {

struct Expansion;

/// Reference of a compiled network: a TOSA graph or a TensorFlow Lite network, which must outlive it.
class Program {
 public:
  /// Behaviour that differs between graphs and networks; see Program's functions.
  class Kind {
   public:
    virtual ~Kind() = default;
    [[nodiscard]] virtual const char* word() const = 0;
    [[nodiscard]] virtual std::vector<std::string> input_names() const = 0;
    [[nodiscard]] virtual std::vector<InputPort> input_ports() const = 0;
    [[nodiscard]] virtual IndexRanges index_ranges() const = 0;
    [[nodiscard]] virtual Result<std::vector<Tensor>> random_inputs(std::uint32_t seed,
                                                                    const StatedRanges& stated) const = 0;
    /// Inputs in the program's types.
    [[nodiscard]] virtual Result<std::vector<Tensor>> typed_inputs(const std::vector<Tensor>& inputs) const = 0;
    /// Whether the compiled network may use the program's names.
    [[nodiscard]] virtual bool shares_names() const = 0;
    [[nodiscard]] virtual Result<Reference> reference(const std::vector<Tensor>& inputs) const = 0;
    [[nodiscard]] virtual Result<std::vector<Tensor>> outputs_with(const std::vector<Tensor>& inputs,
                                                                   const Reference& reference,
                                                                   const Overrides& overrides) const = 0;
    [[nodiscard]] virtual Result<std::shared_ptr<const Expansion>> expand(const std::vector<Tensor>& inputs,
                                                                          const Reference& reference) const = 0;
  };

  explicit Program(std::shared_ptr<const Kind> kind) : kind_(std::move(kind)) {}
  Program(const tosa::Graph& graph);        // NOLINT(google-explicit-constructor): a graph is a program
  Program(const tflite::Network& network);  // NOLINT(google-explicit-constructor): of macaw_compare_tflite

  /// The kind of program in messages: "tosa" or "tflite".
  [[nodiscard]] const char* kind() const { return kind_->word(); }
  [[nodiscard]] std::vector<std::string> input_names() const { return kind_->input_names(); }
  [[nodiscard]] std::vector<InputPort> input_ports() const { return kind_->input_ports(); }

  /// Random inputs over the whole range of each type, index inputs over their valid range; the same seed gives the same
  /// bytes on every machine.
  [[nodiscard]] Result<std::vector<Tensor>> random_inputs(std::uint32_t seed) const {
    return kind_->random_inputs(seed, stated_);
  }
  /// Replaces ranges that were derived from the program.
  void state_ranges(StatedRanges stated) { stated_ = std::move(stated); }
  /// The ranges of inputs that are indices. kUsage as with_stated().
  [[nodiscard]] Result<IndexRanges> index_ranges() const {
    return with_stated(kind_->index_ranges(), input_ports(), stated_);
  }
  /// Inputs in the program's order, converted for the compiled network: by name where it has the name.
  [[nodiscard]] Result<std::vector<npu::NamedTensor>> network_inputs(const std::vector<Tensor>& inputs,
                                                                     const npu::Artifact& artifact) const;
  /// Every tensor that the program computes. Errors: those of a run of the program.
  [[nodiscard]] Result<Reference> reference(const std::vector<Tensor>& inputs) const {
    return kind_->reference(inputs);
  }
  /// Its outputs if tensors have other contents than their operators compute. `reference`: of the same inputs.
  [[nodiscard]] Result<std::vector<Tensor>> outputs_with(const std::vector<Tensor>& inputs, const Reference& reference,
                                                         const Overrides& overrides) const {
    return kind_->outputs_with(inputs, reference, overrides);
  }
  /// The program lowered to smaller operators; null if there are none. `reference`: of the same inputs. Errors: those
  /// of compare::expand().
  [[nodiscard]] Result<std::shared_ptr<const Expansion>> expand(const std::vector<Tensor>& inputs,
                                                                const Reference& reference) const {
    return kind_->expand(inputs, reference);
  }

 private:
  std::shared_ptr<const Kind> kind_;
  StatedRanges stated_;
};

}  // namespace macaw::compare
