#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tosa/graph.hpp>

#include "workflow/accuracy/accuracy.hpp"

namespace macaw::accuracy {

/// A float graph and an integer graph. They must outlive the result.
struct TosaRequest {
  const tosa::Graph* reference = nullptr;
  const tosa::Graph* quantised = nullptr;
  std::string reference_file, quantised_file;
  std::vector<Quantization> input_scales = {};  ///< of the quantised graph's inputs, in its order
  std::vector<npu::Artifact> artifacts = {};    ///< whose outputs are compared
  std::string accelerator = {};
  std::size_t sets = 0;
  /// Returns one set in the order of the quantised graph's inputs, in their types or as FP32. Called by several
  /// threads.
  std::function<Result<std::vector<Tensor>>(std::size_t)> inputs;
  std::optional<std::vector<std::int64_t>> labels = {};
  int threads = 1;
  std::function<void()> done = {};
};

/// A value of the integer graph and its counterpart in the float graph; values are those of the main blocks.
struct TosaPair {
  std::size_t op = 0;  ///< of the integer graph, which computes it
  tosa::ValueId quantised = 0, reference = 0;
  std::string kind;  ///< operator that the layer is named after: the first of CONV2D, RESCALE and CLAMP
  std::string name, reference_name;
};

struct TosaPairing {
  std::vector<TosaPair> pairs;  ///< in the order of the integer graph
  std::vector<std::string> only_float, only_quantised;
};

/// Pairs layers: an operator together with those that only pass its result on (RESCALE, CLAMP, RESHAPE). Layers are
/// paired by the names of their results, else by the longest common sequence of operators with equal kind and result
/// size; outputs are paired by their order.
[[nodiscard]] TosaPairing pair_graphs(const tosa::Block& reference, const tosa::Block& quantised);

/// Runs all sets. TOSA graphs do not state scales, so they are fitted in the first sets, layer by layer: scale and zero
/// point by least squares between the codes that are not saturated and the float layer's result on the quantised
/// operands.
[[nodiscard]] Result<Accuracy> measure(const TosaRequest& request);

/// The operators of a float graph between the values `known` and `wanted`, as a graph whose inputs are the known values
/// that it needs. kUnsupported if it needs an input or a variable that is unknown.
struct CutOut {
  tosa::Graph graph;
  std::vector<tosa::ValueId> inputs;  ///< of the whole graph, in the order of the inputs
};
[[nodiscard]] Result<CutOut> cut_out(const tosa::Graph& graph, const std::vector<tosa::ValueId>& known,
                                     tosa::ValueId wanted);

}  // namespace macaw::accuracy
