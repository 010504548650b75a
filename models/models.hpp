#pragma once
#include <macaw/error.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::models {

class LlamaCheckpoint;

struct BuildOptions {
  bool tiny = false;       ///< the same operators on small shapes, for tests
  std::uint64_t seed = 1;  ///< of weights and of the sample that chooses the quantisation
  /// One each of Model::sizes, Model::forms and Model::activations; empty: the first.
  std::string_view size = {}, form = {}, activations = {};
  std::map<std::string, double>* scales = nullptr;  ///< receives the scales of the outputs of a step, by name
  const LlamaCheckpoint* weights = nullptr;  ///< instead of a size and drawn weights; of Model::takes_weights alone
};

/// A bundled network: seeded weights, the same bytes on every machine.
struct Model {
  std::string_view name;
  std::string_view description;
  tosa::Graph (*build)(const BuildOptions& options);
  /// One step of a sequence, with its state as inputs and outputs or as variables; its scales are chosen, not drawn
  /// from a sample.
  bool is_step = false;
  std::span<const std::string_view> sizes = {}, forms = {}, activations = {};  ///< the default first; empty: one
  bool takes_weights = false;
};

[[nodiscard]] std::span<const Model> all();
/// kUsage, naming the models there are, if there is none of that name.
[[nodiscard]] Result<const Model*> find(std::string_view name);

/// A tensor per graph input from a seed: INT8 nearly normal with deviation 40 and smooth over the map, INT16 likewise
/// with 256 times as much, INT32 for indices.
[[nodiscard]] Result<std::vector<Tensor>> sample_inputs(const tosa::Graph& graph, std::uint64_t seed);

/// Number of multiply-accumulates in convolutions and matrix products.
[[nodiscard]] std::int64_t multiply_accumulates(const tosa::Graph& graph);

// Sources of the shapes stand in models/networks and docs/MODELS.md.
tosa::Graph tiny_cnn(const BuildOptions& options = {});
tosa::Graph softmax(const BuildOptions& options = {});
tosa::Graph add(const BuildOptions& options = {});
tosa::Graph mobilenet_v2(const BuildOptions& options = {});
tosa::Graph resnet50(const BuildOptions& options = {});
tosa::Graph ds_cnn(const BuildOptions& options = {});
tosa::Graph gru(const BuildOptions& options = {});
tosa::Graph lstm(const BuildOptions& options = {});
tosa::Graph bert_tiny(const BuildOptions& options = {});
tosa::Graph llama_block(const BuildOptions& options = {});
tosa::Graph unet_block(const BuildOptions& options = {});
tosa::Graph llama_decoder(const BuildOptions& options = {});
tosa::Graph unet_step(const BuildOptions& options = {});
tosa::Graph kws_streaming(const BuildOptions& options = {});

}  // namespace macaw::models
