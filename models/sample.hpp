#pragma once
#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

#include <memory>
#include <vector>

#include "models/random.hpp"

namespace macaw::models {

/// INT8 values, nearly normal with deviation 40, or INT16 values with 256 times as much, of which neighbours are alike
/// as in images.
void fill_smooth(Tensor& tensor, Random& random);

/// The result of one operator of a graph's main block on sample values; constants come from the graph. `samples`
/// holds the operator's first inputs.
[[nodiscard]] Tensor run_operator(const tosa::Graph& graph, std::size_t index, std::vector<Tensor> samples);

}  // namespace macaw::models
