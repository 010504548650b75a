#include "workflow/compare/expansion.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <macaw/tflite/network.hpp>
#include <macaw/tflite/to_tosa.hpp>

#include "workflow/compare/inputs.hpp"

namespace macaw::compare {
namespace {

/// Names of operators and tensors of the network for those of the graph.
void relate(Expansion& expansion, const Reference& network) {
  std::map<std::string_view, std::size_t> operators;
  for (std::size_t i = 0; i < network.operators.size(); ++i) operators.emplace(network.operators[i].text, i);
  const auto& block = expansion.graph.main();
  auto& reference = expansion.reference;
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    const auto found = operators.find(block.operators[i].location);
    expansion.operators.push_back(found == operators.end() ? std::nullopt : std::optional(found->second));
    reference.operators[i].text =
        found == operators.end() ? "the conversion of an input or output" : network.operators[found->second].text;
  }
  for (const auto& tensor : reference.tensors) expansion.tensors.push_back(network.find(tensor.name));
}

bool same_outputs(const Reference& graph, const Reference& network) {
  return std::ranges::equal(graph.outputs, network.outputs, [&](TensorId a, TensorId b) {
    const auto &x = graph.tensors[a].value, &y = network.tensors[b].value;
    return x && y && std::ranges::equal(std::as_const(*x).bytes(), std::as_const(*y).bytes());
  });
}

}  // namespace

Result<Expansion> expand(const tflite::Network& network, const std::vector<Tensor>& inputs,
                         const Reference& reference) {
  MACAW_ASSIGN(auto part, tflite::exact_part(network));
  Expansion expansion{std::move(part.graph), inputs, {}, {}, {}};
  for (const auto& inexact : part.inexact) {
    const auto& value = reference.tensors[inexact.tensor].value;
    if (!value) return fail(ErrorCode::kUnsupported, "a tensor was not computed", {.op = inexact.op});
    expansion.inputs.push_back(*value);
  }
  MACAW_ASSIGN(expansion.reference, reference_of(expansion.graph, expansion.inputs));
  if (!same_outputs(expansion.reference, reference))
    return fail(ErrorCode::kMismatch, "the TOSA graph of the network gives other results");
  relate(expansion, reference);
  return expansion;
}

}  // namespace macaw::compare
