#pragma once
#include <macaw/quantization.hpp>
#include <macaw/tosa/graph.hpp>

#include "workflow/accuracy/accuracy.hpp"

namespace macaw::accuracy {

/// A graph of floats and one of integers. They must outlive the result.
struct TosaRequest {
  const tosa::Graph* reference = nullptr;
  const tosa::Graph* quantised = nullptr;
  std::string reference_file, quantised_file;
  std::vector<Quantization> input_scales = {};  ///< of the quantised graph's inputs, in its order
  std::vector<npu::Artifact> artifacts = {};    ///< whose outputs are compared
  std::string accelerator = {};
  std::size_t sets = 0;
  /// One set in the order of the quantised graph's inputs, in its types or as FP32. Called by several threads.
  std::function<Result<std::vector<Tensor>>(std::size_t)> inputs;
  std::optional<std::vector<std::int64_t>> labels = {};
  int threads = 1;
  std::function<void()> done = {};
};

/// A value of integers and the value of floats that it stands for; values are those of the main blocks.
struct TosaPair {
  std::size_t op = 0;  ///< of the integer graph, which computes it
  tosa::ValueId quantised = 0, reference = 0;
  std::string kind;  ///< operator that the layer is named after: of CONV2D, RESCALE and CLAMP the first
  std::string name, reference_name;
};

struct TosaPairing {
  std::vector<TosaPair> pairs;  ///< in the order of the integer graph
  std::vector<std::string> only_float, only_quantised;
};

/// An operator and what only passes its result on (RESCALE, CLAMP, RESHAPE) are one layer. Layers are paired by the
/// names of their results, else by the longest common sequence of operators of one kind and result of one size;
/// outputs are paired by their order.
[[nodiscard]] TosaPairing pair_graphs(const tosa::Block& reference, const tosa::Block& quantised);

/// Runs all sets. A TOSA graph does not state the scales of its tensors: they are fitted in the first sets, one layer
/// after the other: scale and zero point by least squares between the codes that are not at an end of their range and
/// what the float layer makes of the quantised operands.
[[nodiscard]] Result<Accuracy> measure(const TosaRequest& request);

/// The operators of a float graph that lead from the values `known` to `wanted`, as a graph whose inputs are those of
/// them that it needs. kUnsupported if it needs an input or a variable that is not known.
struct CutOut {
  tosa::Graph graph;
  std::vector<tosa::ValueId> inputs;  ///< of the whole graph, in the order of the inputs
};
[[nodiscard]] Result<CutOut> cut_out(const tosa::Graph& graph, const std::vector<tosa::ValueId>& known,
                                     tosa::ValueId wanted);

}  // namespace macaw::accuracy
