#include <fmt/format.h>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/tosa/input_ports.hpp>
#include "python/native.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/compare/inputs.hpp"

namespace macaw::python {

namespace py = pybind11;

namespace {

py::dict run_compare(const py::bytes& file, const py::object& source, const std::string& method,
                     const py::object& inputs, const std::string& accelerator_name, std::uint32_t seed, bool matches,
                     bool reshape, bool reinterpret) {
  const auto graph = unwrap(tosa::parse_graph(bytes_of(file), "graph"));
  const auto artifact = artifact_of(source, method);
  const auto* accelerator = unwrap(npu::choose_accelerator(artifact, accelerator_name));
  const bool random = inputs.is_none();
  const auto tensors =
      random ? unwrap(compare::random_inputs(graph, seed))
             : inputs_of(tosa::input_ports(graph), inputs, {.reshape = reshape, .reinterpret = reinterpret});
  const auto name = random ? fmt::format("seed {}", seed) : "input files";
  compare::Comparison comparison;
  unwrap(without_gil([&]() -> Result<void> {
    MACAW_CHECK(compare::add_run(comparison, graph, artifact, *accelerator, name, tensors));
    return compare::search_counterexample(comparison, graph, artifact, *accelerator);
  }));
  py::dict result;
  result["report"] = compare::to_json(comparison).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  result["text"] = shown(compare::to_text(comparison, matches));
  return result;
}

}  // namespace

void define_compare(py::module_& module) {
  using namespace py::literals;
  module.def("run_compare", &run_compare, "graph"_a, "artifact"_a, "method"_a, "inputs"_a, "accelerator"_a, "seed"_a,
             "matches"_a, "reshape"_a, "reinterpret"_a);
}

}  // namespace macaw::python
