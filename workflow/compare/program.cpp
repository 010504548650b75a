#include "workflow/compare/program.hpp"

#include <algorithm>

#include <macaw/tflite/input_ports.hpp>
#include <macaw/tosa/input_ports.hpp>

#include "workflow/compare/inputs.hpp"

namespace macaw::compare {
namespace {

const tflite::TensorInfo& tensor_of(const tflite::Network& network, int index) {
  return network.main().tensors[static_cast<std::size_t>(index)];
}

std::vector<std::string> names_of(const tflite::Network& network, const std::vector<int>& indices) {
  std::vector<std::string> names;
  for (const int i : indices) names.push_back(tensor_of(network, i).name);
  return names;
}

std::vector<std::string> names_of(const tosa::Block& block, const std::vector<tosa::ValueId>& ids) {
  std::vector<std::string> names;
  for (const auto id : ids) names.push_back(block.values[id].name);
  return names;
}

}  // namespace

const char* Program::kind() const { return block() ? "tosa" : "tflite"; }

const tosa::Block* Program::block() const {
  const auto* graph = std::get_if<const tosa::Graph*>(&program_);
  return graph ? &(*graph)->main() : nullptr;
}

std::vector<std::string> Program::input_names() const {
  if (const auto* main = block()) return names_of(*main, main->inputs);
  const auto& network = *std::get<const tflite::Network*>(program_);
  return names_of(network, network.main().inputs);
}

std::vector<InputPort> Program::input_ports() const {
  if (block()) return tosa::input_ports(*std::get<const tosa::Graph*>(program_));
  return tflite::input_ports(*std::get<const tflite::Network*>(program_));
}

Result<std::vector<Tensor>> Program::random_inputs(std::uint32_t seed) const {
  if (block()) return compare::random_inputs(*std::get<const tosa::Graph*>(program_), seed);
  const auto& network = *std::get<const tflite::Network*>(program_);
  npu::Artifact like;
  for (const int i : network.main().inputs) {
    const auto& info = tensor_of(network, i);
    like.inputs.push_back({.name = info.name,
                           .shape = info.shape,
                           .element_size = static_cast<unsigned>(size_of(info.dtype)),
                           .dtype = info.dtype});
  }
  return compare::random_inputs(like, seed);
}

Result<std::vector<npu::NamedTensor>> Program::network_inputs(const std::vector<Tensor>& inputs,
                                                              const npu::Artifact& artifact) const {
  auto typed = inputs;
  if (block()) {
    MACAW_ASSIGN(typed, graph_inputs(*std::get<const tosa::Graph*>(program_), inputs));
  }
  auto names = input_names();
  const auto is_known = [&](const std::string& name) {
    return std::ranges::count(artifact.inputs, name, &npu::TensorBinding::name) == 1;
  };
  // A graph's names are not the network's: only those of the file that was compiled are.
  const bool by_name = !block() && std::ranges::all_of(names, is_known);
  std::vector<npu::NamedTensor> named;
  for (std::size_t i = 0; i < typed.size(); ++i)
    named.push_back({by_name && i < names.size() ? names[i] : "", std::move(typed[i])});
  return named;
}

Result<Reference> Program::reference(const std::vector<Tensor>& inputs) const {
  if (block()) return compare::reference_of(*std::get<const tosa::Graph*>(program_), inputs);
  return compare::reference_of(*std::get<const tflite::Network*>(program_), inputs);
}

}  // namespace macaw::compare
