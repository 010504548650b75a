#include <fmt/format.h>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/tosa/input_ports.hpp>
#include "python/native.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/compare/inputs.hpp"

namespace macaw::python {

namespace {

json run_compare(const Arguments& arguments, Call& call) {
  const auto graph = unwrap(tosa::parse_graph(arguments.contents("graph"), "graph"));
  const auto artifact = arguments.artifact();
  const auto* accelerator = unwrap(npu::choose_accelerator(artifact, arguments.bytes("accelerator")));
  const bool random = !arguments.has("inputs");
  const auto seed = arguments.get<std::uint32_t>("seed");
  const auto tensors =
      random ? unwrap(compare::random_inputs(graph, seed)) : inputs_of(tosa::input_ports(graph), arguments);
  const auto name = random ? fmt::format("seed {}", seed) : "input files";
  compare::Comparison comparison;
  unwrap(run_unlocked([&]() -> Result<void> {
    MACAW_CHECK(compare::add_run(comparison, graph, artifact, *accelerator, name, tensors));
    return compare::search_counterexample(comparison, graph, artifact, *accelerator);
  }));
  return {{"report", call.give_document(compare::to_json(comparison))},
          {"text", call.give(compare::to_text(comparison, arguments.get<bool>("matches")))}};
}

}  // namespace

void add_compare(Functions& functions) { functions["run_compare"] = run_compare; }

}  // namespace macaw::python
