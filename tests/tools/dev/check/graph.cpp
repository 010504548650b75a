#include "tests/tools/dev/check/graph.hpp"

#include <macaw/tosa/graph.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "workflow/compare/inputs.hpp"

namespace macaw::app::check {

Result<std::vector<Tensor>> run_graph(const std::filesystem::path& file, const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(const auto graph, tosa::load_graph(file));
  return run_graph(graph, file.string(), inputs);
}

Result<std::vector<Tensor>> run_graph(const tosa::Graph& graph, const std::string& name,
                                      const std::vector<Tensor>& inputs) {
  MACAW_ASSIGN(auto typed, compare::graph_inputs(graph, inputs));
  MACAW_ASSIGN(auto result, tosa::run(graph, std::move(typed)));
  MACAW_CHECK(compare::require_valid(result.verdict, name));
  return std::move(result.outputs);
}

}  // namespace macaw::app::check
