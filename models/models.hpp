#pragma once
#include <macaw/error.hpp>
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace macaw::models {

/// A bundled network: seeded weights, the same bytes on every machine.
struct Model {
  std::string_view name;
  std::string_view description;
  tosa::Graph (*build)();
};

[[nodiscard]] std::span<const Model> all();
/// kUsage, naming the models there are, if there is none of that name.
[[nodiscard]] Result<const Model*> find(std::string_view name);

/// One int8 tensor per graph input, nearly normal with deviation 32 and smooth over the map, from a seed.
[[nodiscard]] Result<std::vector<Tensor>> sample_inputs(const tosa::Graph& graph, std::uint64_t seed);

tosa::Graph tiny_cnn();

}  // namespace macaw::models
