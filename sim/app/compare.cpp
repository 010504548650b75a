#include "sim/compare/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "sim/app/command.hpp"
#include "sim/app/input_option.hpp"
#include "sim/artifact/choose_accelerator.hpp"
#include "sim/compare/inputs.hpp"

namespace macaw::app {
namespace {

struct Options {
  std::string graph, artifact, accelerator;
  std::vector<std::string> inputs;
  unsigned random_runs = 1;
  std::uint32_t seed = 1;
  bool json = false;
};

struct Run {
  std::string inputs;  ///< "given" or "seed 7"
  std::vector<compare::OutputComparison> outputs;
};

Result<std::vector<Tensor>> given_inputs(const Options& options, const tosa::Graph& graph) {
  MACAW_ASSIGN(auto named, read_named_inputs(options.inputs));
  std::vector<std::string> names;
  for (const auto id : graph.main().inputs) names.push_back(graph.main().values[id].name);
  return order_inputs(std::move(named), names);
}

Result<std::vector<Run>> compare_all(const Options& options) {
  MACAW_ASSIGN(const auto graph, tosa::load_graph(options.graph));
  MACAW_ASSIGN(const auto artifact, npu::load_artifact(options.artifact));
  MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, options.accelerator));
  std::vector<Run> runs;
  if (!options.inputs.empty()) {
    MACAW_ASSIGN(const auto inputs, given_inputs(options, graph));
    MACAW_ASSIGN(auto outputs, compare::compare_outputs(graph, artifact, *accelerator, inputs));
    runs.push_back({"given", std::move(outputs)});
    return runs;
  }
  for (unsigned i = 0; i < options.random_runs; ++i) {
    MACAW_ASSIGN(const auto inputs, compare::random_inputs(graph, options.seed + i));
    MACAW_ASSIGN(auto outputs, compare::compare_outputs(graph, artifact, *accelerator, inputs));
    runs.push_back({fmt::format("seed {}", options.seed + i), std::move(outputs)});
  }
  return runs;
}

void print_json(const std::vector<Run>& runs, bool equal) {
  auto list = nlohmann::json::array();
  for (const auto& run : runs) {
    auto outputs = nlohmann::json::array();
    for (const auto& o : run.outputs) {
      nlohmann::json entry{{"name", o.name}, {"elements", o.elements}, {"different", o.different}};
      if (o.different > 0) entry["first"] = {{"index", o.index}, {"tosa", o.expected}, {"sim", o.actual}};
      outputs.push_back(std::move(entry));
    }
    list.push_back({{"inputs", run.inputs}, {"outputs", std::move(outputs)}});
  }
  fmt::print("{}\n", nlohmann::json{{"schema_version", 1}, {"equal", equal}, {"runs", std::move(list)}}.dump(2));
}

void print_text(const std::vector<Run>& runs) {
  for (const auto& run : runs) {
    for (const auto& o : run.outputs) {
      if (o.different == 0) fmt::print("{}: output '{}': {} elements, bit-exact\n", run.inputs, o.name, o.elements);
      else
        fmt::print("{}: output '{}': {} of {} elements differ, the first at [{}]: tosa {}, sim {}\n", run.inputs,
                   o.name, o.different, o.elements, fmt::join(o.index, ", "), o.expected, o.actual);
    }
  }
}

int run_compare(const Options& options) {
  const auto runs = compare_all(options);
  if (!runs) return report_error(runs.error());
  bool equal = true;
  for (const auto& run : *runs)
    for (const auto& output : run.outputs) equal &= output.different == 0;
  if (options.json) print_json(*runs, equal);
  else print_text(*runs);
  return equal ? kOk : kMismatch;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "compare", "Run a TOSA graph and its compiled network on the same inputs and compare the outputs");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "TOSA graph (.tosa)")->required();
  command->add_option("ARTIFACT", options->artifact, "compiled network: Vela npz or tflite")->required();
  command->add_option("--input", options->inputs, "[NAME=]FILE.npy, in the graph's input order or by name; repeatable");
  command->add_option("--inputs", options->random_runs, "without --input: number of runs on random inputs")
      ->check(CLI::Range(1u, 1000000u));
  command->add_option("--seed", options->seed, "seed of the first random run");
  command->add_option("--accelerator-config", options->accelerator, "accelerator, where the artifact does not say it");
  command->add_flag("--json", options->json, "machine-readable result");
  command->footer("Example: macaw compare net.tosa net_vela.npz --inputs 10");
  command->callback([options, &exit_code] { exit_code = run_compare(*options); });
}

}  // namespace macaw::app
