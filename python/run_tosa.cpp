#include <fmt/format.h>

#include <macaw/tosa/custom.hpp>
#include <macaw/tosa/input_ports.hpp>
#include <macaw/tosa/interpreter.hpp>

#include "python/native.hpp"
#include "reference/tosa/claimed_profiles.hpp"
#include "reference/tosa/description.hpp"

namespace macaw::python {

namespace {

using tosa::Graph;

json graph_output_names(const Graph& graph) {
  auto names = json::array();
  for (const auto id : graph.main().outputs) names.push_back(text_of(graph.main().values[id].name));
  return names;
}

json findings_of(const tosa::Verdict& verdict) {
  auto list = json::array();
  for (const auto& f : verdict.findings)
    list.push_back({{"status", f.status == tosa::Status::kValid ? "WARNING" : to_string(f.status)},
                    {"place", text_of(f.place)},
                    {"argument", text_of(f.argument)},
                    {"rule", f.rule},
                    {"text", text_of(f.text)}});
  return list;
}

std::map<std::string, Tensor> variables_of(const Graph& graph, const Arguments& arguments) {
  std::map<std::string, Tensor> variables;
  for (const auto& array : arguments.arrays("variables")) {
    std::optional<InputPort> port;
    for (const auto& block : graph.blocks)
      for (const auto& value : block.values)
        if (value.variable && value.variable_name == array.name()) port = tosa::port_of(value);
    if (!port) throw Failure{{ErrorCode::kMismatch, fmt::format("the graph has no variable \"{}\"", array.name()), {}}};
    variables.emplace(array.name(), input_of(array, *port, arguments.fit()));
  }
  return variables;
}

/// Members of macaw.tosa.Result. `graph`: null if there is none. `raw`: outputs of the types that the graph declares,
/// whatever the run computed in.
json tosa_result(Call& call, tosa::RunResult run, const Graph* graph, bool raw) {
  std::vector<DType> dtypes;
  auto types = json::array();
  if (graph)
    for (const auto id : graph->main().outputs) dtypes.push_back(graph->main().values[id].dtype);
  for (const auto dtype : dtypes) types.push_back(to_string(dtype));
  if (raw)
    for (std::size_t i = 0; i < run.outputs.size(); ++i) run.outputs[i] = tosa::as_declared(run.outputs[i], dtypes[i]);
  return {{"status", to_string(run.verdict.status())},
          {"findings", findings_of(run.verdict)},
          {"names", graph ? graph_output_names(*graph) : json::array()},
          {"types", types},
          {"outputs", call.give(std::move(run.outputs))},
          {"intermediates", call.give(std::move(run.intermediates))},
          {"variables", call.give(std::move(run.variables))}};
}

tosa::Options tosa_options(const Arguments& arguments) {
  tosa::Options options;
  options.level = arguments.bytes("level") == "NONE" ? tosa::kLevelNone : tosa::kLevel8K;
  options.profiles =
      unwrap(tosa::claimed_profiles(arguments.bytes_list("profiles"), arguments.bytes_list("extensions")));
  options.precise = arguments.get<bool>("precise");
  if (arguments.has("max_work")) options.max_work = arguments.get<std::int64_t>("max_work");
  return options;
}

json run_tosa(const Arguments& arguments, Call& call) {
  tosa::Options options = tosa_options(arguments);
  const bool raw = arguments.get<bool>("raw");
  auto graph = tosa::parse_graph(arguments.contents("graph"), "graph");
  tosa::RunResult run;
  bool before_evaluation = true;
  if (!graph && graph.error().code == ErrorCode::kInvalidGraph) {
    run = tosa::error_result(graph.error());
  } else {
    if (!graph) throw Failure{graph.error()};
    options.bounds = arguments.get<bool>("bounds");
    options.keep_intermediates = arguments.get<bool>("intermediates");
    options.threads = arguments.get<int>("threads");
    options.variables = variables_of(*graph, arguments);
    // A graph in ERROR has no use for inputs, which may not even fit it.
    run.verdict = unwrap(tosa::validate(*graph, options));
    if (run.verdict.status() != tosa::Status::kError) {
      auto tensors = inputs_of(tosa::input_ports(*graph), arguments);
      run = unwrap(run_unlocked([&] { return tosa::run(*graph, std::move(tensors), options); }));
      before_evaluation = false;
    } else if (raw) {
      before_evaluation = unwrap(tosa::is_error_before_evaluation(*graph, run.verdict, options));
    }
  }
  auto result = tosa_result(call, std::move(run), graph ? &*graph : nullptr, raw);
  result["before_evaluation"] = before_evaluation;
  return result;
}

/// A graph that is read once. Any number of threads may run it.
struct TosaNetwork : Object {
  TosaNetwork(Graph graph, tosa::Options options) : graph(std::move(graph)), options(std::move(options)) {}
  Graph graph;
  tosa::Options options;
};

json create_tosa_network(const Arguments& arguments, Call&) {
  auto graph = unwrap(tosa::parse_graph(arguments.contents("graph"), "graph"));
  return Call::give(std::make_unique<TosaNetwork>(std::move(graph), tosa_options(arguments)));
}

json describe_tosa_network(const Arguments& arguments, Call&) {
  const auto& graph = object_of<TosaNetwork>(arguments).graph;
  return {{"inputs", to_json(tosa::input_ports(graph))}, {"output_names", graph_output_names(graph)}};
}

json run_tosa_network(const Arguments& arguments, Call& call) {
  const auto& network = object_of<TosaNetwork>(arguments);
  auto tensors = inputs_of(tosa::input_ports(network.graph), arguments);
  tosa::Options options = network.options;
  options.threads = arguments.get<int>("threads");
  auto run = unwrap(run_unlocked([&] { return tosa::run(network.graph, std::move(tensors), options); }));
  if (run.verdict.findings.empty() && run.variables.empty() && fill_outputs(arguments, run.outputs))
    return json::object();
  return tosa_result(call, std::move(run), &network.graph, false);
}

json load_custom_ops(const Arguments& arguments, Call&) {
  unwrap(tosa::load_custom_ops(arguments.bytes("library")));
  return json::object();
}

json default_max_work(const Arguments&, Call&) { return {{"max_work", tosa::Options().max_work}}; }

}  // namespace

void add_tosa(Functions& functions) {
  functions["run_tosa"] = run_tosa;
  functions["create_tosa_network"] = create_tosa_network;
  functions["describe_tosa_network"] = describe_tosa_network;
  functions["run_tosa_network"] = run_tosa_network;
  functions["load_custom_ops"] = load_custom_ops;
  functions["default_max_work"] = default_max_work;
}

}  // namespace macaw::python
