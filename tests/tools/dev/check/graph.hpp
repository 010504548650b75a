#pragma once
#include <filesystem>
#include <vector>

#include <macaw/tensor.hpp>
#include <macaw/tosa/graph.hpp>

namespace macaw::app::check {

/// Runs a .tosa file on the interpreter; a verdict other than VALID is an error that names the rule. Inputs are given
/// as files hold them and take the graph's own types (an npy knows no int4 or int48).
[[nodiscard]] Result<std::vector<Tensor>> run_graph(const std::filesystem::path& file,
                                                    const std::vector<Tensor>& inputs);
/// A graph that is known as `name` in messages.
[[nodiscard]] Result<std::vector<Tensor>> run_graph(const tosa::Graph& graph, const std::string& name,
                                                    const std::vector<Tensor>& inputs);

}  // namespace macaw::app::check
