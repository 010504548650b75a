#include <fmt/format.h>
#include <pybind11/stl.h>

#include <macaw/tosa/custom.hpp>
#include <macaw/tosa/input_ports.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "python/native.hpp"
#include "reference/tosa/claimed_profiles.hpp"
#include "reference/tosa/description.hpp"

namespace macaw::python {

namespace py = pybind11;

namespace {

using tosa::Graph;
using tosa::ValueId;

py::list names_of(const Graph& graph, const std::vector<ValueId>& ids) {
  py::list names;
  for (const auto id : ids) names.append(text_of(graph.main().values[id].name));
  return names;
}

py::list findings_of(const tosa::Verdict& verdict) {
  py::list list;
  for (const auto& f : verdict.findings) {
    py::dict item;
    item["status"] = f.status == tosa::Status::kValid ? "WARNING" : std::string(to_string(f.status));
    item["place"] = shown(f.place);
    item["argument"] = shown(f.argument);
    item["rule"] = f.rule;
    item["text"] = shown(f.text);
    list.append(item);
  }
  return list;
}

py::dict arrays_of(const std::map<std::string, Tensor>& tensors) {
  py::dict arrays;
  for (const auto& [name, tensor] : tensors) arrays[text_of(name)] = to_array(tensor);
  return arrays;
}

std::map<std::string, Tensor> variables_of(const Graph& graph, const py::dict& given, InputFit fit) {
  std::map<std::string, Tensor> variables;
  for (const auto& [key, array] : given) {
    const auto name = name_of(key);
    std::optional<InputPort> port;
    for (const auto& block : graph.blocks)
      for (const auto& value : block.values)
        if (value.variable && value.variable_name == name) port = tosa::port_of(value);
    if (!port) raise({ErrorCode::kMismatch, fmt::format("the graph has no variable \"{}\"", name), {}});
    variables.emplace(name, input_of(array, *port, fit));
  }
  return variables;
}

/// Members of macaw.tosa.Result. `graph`: null if there is none. `raw`: outputs of the types that the graph declares,
/// whatever the run computed in.
py::dict result_of(const tosa::RunResult& run, const Graph* graph, bool raw) {
  py::list names;
  std::vector<DType> dtypes;
  if (graph) {
    names = names_of(*graph, graph->main().outputs);
    for (const auto id : graph->main().outputs) dtypes.push_back(graph->main().values[id].dtype);
  }
  py::list outputs, types;
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    outputs.append(to_array(raw ? tosa::as_declared(run.outputs[i], dtypes[i]) : run.outputs[i]));
  for (const auto dtype : dtypes) types.append(std::string(to_string(dtype)));
  py::dict result;
  result["status"] = std::string(to_string(run.verdict.status()));
  result["findings"] = findings_of(run.verdict);
  result["names"] = names;
  result["types"] = types;
  result["outputs"] = outputs;
  result["intermediates"] = arrays_of(run.intermediates);
  result["variables"] = arrays_of(run.variables);
  return result;
}

tosa::Options options_of(const std::string& level, const std::vector<std::string>& profiles,
                         const std::vector<std::string>& extensions, bool precise, std::int64_t max_work) {
  tosa::Options options;
  options.level = level == "NONE" ? tosa::kLevelNone : tosa::kLevel8K;
  options.profiles = unwrap(tosa::claimed_profiles(profiles, extensions));
  options.precise = precise;
  options.max_work = max_work;
  return options;
}

py::dict run_tosa(const py::bytes& file, const py::object& inputs, const std::string& level,
                  const std::vector<std::string>& profiles, const std::vector<std::string>& extensions, bool precise,
                  bool bounds, bool intermediates, const py::dict& variables, int threads, bool raw, bool reshape,
                  bool reinterpret, std::int64_t max_work) {
  const InputFit fit{.reshape = reshape, .reinterpret = reinterpret};
  tosa::Options options = options_of(level, profiles, extensions, precise, max_work);
  auto graph = tosa::parse_graph(bytes_of(file), "graph");
  tosa::RunResult run;
  bool before_evaluation = true;
  if (!graph && graph.error().code == ErrorCode::kInvalidGraph) {
    run = tosa::error_result(graph.error());
  } else {
    if (!graph) raise(graph.error());
    options.bounds = bounds;
    options.keep_intermediates = intermediates;
    options.threads = threads;
    options.variables = variables_of(*graph, variables, fit);
    // A graph in ERROR has no use for inputs, which may not even fit it.
    run.verdict = unwrap(tosa::validate(*graph, options));
    if (run.verdict.status() != tosa::Status::kError) {
      auto tensors = inputs_of(tosa::input_ports(*graph), inputs, fit);
      run = unwrap(without_gil([&] { return tosa::run(*graph, std::move(tensors), options); }));
      before_evaluation = false;
    } else if (raw) {
      before_evaluation = unwrap(tosa::is_error_before_evaluation(*graph, run.verdict, options));
    }
  }
  py::dict result = result_of(run, graph ? &*graph : nullptr, raw);
  result["before_evaluation"] = before_evaluation;
  return result;
}

/// A graph that is read once. Any number of threads may run it.
class TosaNetwork {
 public:
  TosaNetwork(const py::bytes& file, const std::string& level, const std::vector<std::string>& profiles,
              const std::vector<std::string>& extensions, bool precise, std::int64_t max_work)
      : graph_(unwrap(tosa::parse_graph(bytes_of(file), "graph"))),
        options_(options_of(level, profiles, extensions, precise, max_work)) {}

  [[nodiscard]] py::list inputs() const { return shapes_of(tosa::input_ports(graph_)); }
  [[nodiscard]] py::list output_names() const { return names_of(graph_, graph_.main().outputs); }

  [[nodiscard]] py::dict run(const py::object& inputs, int threads, bool reshape, bool reinterpret) const {
    auto tensors = inputs_of(tosa::input_ports(graph_), inputs, {.reshape = reshape, .reinterpret = reinterpret});
    tosa::Options options = options_;
    options.threads = threads;
    return result_of(unwrap(without_gil([&] { return tosa::run(graph_, std::move(tensors), options); })), &graph_,
                     false);
  }

 private:
  Graph graph_;
  tosa::Options options_;
};

}  // namespace

void define_tosa(py::module_& module) {
  using namespace py::literals;
  py::class_<TosaNetwork>(module, "TosaNetwork")
      .def(py::init<const py::bytes&, const std::string&, const std::vector<std::string>&,
                    const std::vector<std::string>&, bool, std::int64_t>())
      .def_property_readonly("inputs", &TosaNetwork::inputs)
      .def_property_readonly("output_names", &TosaNetwork::output_names)
      .def("run", &TosaNetwork::run);
  module.def("run_tosa", &run_tosa, "graph"_a, "inputs"_a, "level"_a, "profiles"_a, "extensions"_a, "precise"_a,
             "bounds"_a, "intermediates"_a, "variables"_a, "threads"_a, "raw"_a, "reshape"_a, "reinterpret"_a,
             "max_work"_a = tosa::Options().max_work);
  module.attr("MAX_TOSA_WORK") = tosa::Options().max_work;
  module.def("load_custom_ops", [](const std::string& library) {
    if (const auto done = tosa::load_custom_ops(library); !done) raise(done.error());
  });
}

}  // namespace macaw::python
