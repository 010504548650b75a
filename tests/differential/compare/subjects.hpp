#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/simulator.hpp>
#include <macaw/tosa/graph.hpp>

#include "workflow/compare/comparison.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace macaw {

/// A graph, or a TensorFlow Lite network in its place, and what was compiled of it.
struct Subject {
  std::string name;
  tosa::Graph graph;
  npu::Artifact artifact;
  std::shared_ptr<const tflite::Network> network = {};

  [[nodiscard]] compare::Program program() const { return network ? compare::Program(*network) : graph; }
};

/// Bundled networks in small, compiled by us for each family.
[[nodiscard]] std::vector<Subject> bundled_subjects();
/// Vela's streams for the tosa_chain_* graphs of ten operators and more, raw with debug database and tflite without;
/// none, and a line that says so, without a corpus.
[[nodiscard]] std::vector<Subject> vela_subjects();
/// Vela's streams for TensorFlow Lite networks of four operators and more, the smallest first; none without a corpus.
[[nodiscard]] std::vector<Subject> tflite_subjects();

/// The same networks of four operators and more, compiled by us for each family; none without a corpus.
[[nodiscard]] std::vector<Subject> compiled_tflite_subjects();

[[nodiscard]] std::vector<npu::NamedTensor> named(const std::vector<Tensor>& tensors);

/// The first operation that writes something else, or elsewhere, than in the sound network.
[[nodiscard]] std::optional<std::pair<std::size_t, std::uint32_t>> first_changed(
    const std::vector<compare::Record>& sound, const std::vector<compare::Record>& corrupted);

/// The operators of the program, in Reference::operators, that each operation of a sound run was made for: those that
/// compute the first tensor that is written from it on.
[[nodiscard]] std::vector<std::set<std::size_t>> operators_of_operations(const compare::Reference& reference,
                                                                         const npu::Artifact& artifact,
                                                                         const compare::Trace& sound);

[[nodiscard]] bool same_bytes(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

/// Whether the operation, its step and command, is among those of the wrong operator.
[[nodiscard]] bool names(const compare::WrongOperator& wrong, const std::pair<std::size_t, std::uint32_t>& command);

}  // namespace macaw
