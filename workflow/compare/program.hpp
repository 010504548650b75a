#pragma once
#include <macaw/input_fit.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "workflow/compare/reference.hpp"

namespace macaw::compare {

/// What a compiled network is laid beside: a TOSA graph or a TensorFlow Lite network, which must outlive it.
class Program {
 public:
  Program(const tosa::Graph& graph) : program_(&graph) {}          // NOLINT: a graph is a program
  Program(const tflite::Network& network) : program_(&network) {}  // NOLINT

  /// Its word in messages: "tosa" or "tflite".
  [[nodiscard]] const char* kind() const;
  [[nodiscard]] std::vector<std::string> input_names() const;
  [[nodiscard]] std::vector<InputPort> input_ports() const;

  /// Random inputs over the whole range of each type; the same seed gives the same bytes everywhere.
  [[nodiscard]] Result<std::vector<Tensor>> random_inputs(std::uint32_t seed) const;
  /// Inputs in the program's order as the compiled network takes them: by name where it knows the name.
  [[nodiscard]] Result<std::vector<npu::NamedTensor>> network_inputs(const std::vector<Tensor>& inputs,
                                                                     const npu::Artifact& artifact) const;
  /// Every tensor that it computes. Errors say what a run of the program says.
  [[nodiscard]] Result<Reference> reference(const std::vector<Tensor>& inputs) const;

 private:
  [[nodiscard]] const tosa::Block* block() const;

  std::variant<const tosa::Graph*, const tflite::Network*> program_;
};

}  // namespace macaw::compare
