#include <fmt/format.h>
#include <fmt/ranges.h>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/debug_database.hpp>

#include "app/command.hpp"
#include "app/input_option.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/compare/compared_run.hpp"
#include "workflow/compare/inputs.hpp"
#include "workflow/report/junit.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

using compare::ComparedRun;

struct Options {
  std::string graph, artifact, method, accelerator, tensors, junit, debug_db;
  std::vector<std::string> inputs;
  unsigned random_runs = 1;
  std::uint32_t seed = 1;
  bool json = false, matches = false, force = false;
};

Result<std::vector<Tensor>> given_inputs(const Options& options, const compare::Program& program) {
  MACAW_ASSIGN(auto named, read_named_inputs(options.inputs));
  return order_inputs(std::move(named), program.input_names());
}

/// What the comparison needs besides the inputs.
struct Subject {
  npu::Artifact artifact;
  const npu::Accelerator* accelerator = nullptr;
};

Result<Subject> load_subject(const Options& options) {
  Subject subject;
  MACAW_ASSIGN(subject.artifact, npu::load_artifact(options.artifact, options.method));
  if (!options.debug_db.empty()) MACAW_CHECK(npu::attach_debug_database(subject.artifact, options.debug_db));
  MACAW_ASSIGN(subject.accelerator, npu::choose_accelerator(subject.artifact, options.accelerator));
  return subject;
}

Result<std::vector<ComparedRun>> compare_program(const Options& options, const compare::Program& program) {
  MACAW_ASSIGN(const auto subject, load_subject(options));
  std::vector<ComparedRun> runs;
  const auto once = [&](std::string name, const std::vector<Tensor>& inputs) {
    return compare::compare_run(program, subject.artifact, *subject.accelerator, std::move(name), inputs,
                                options.matches);
  };
  report::Progress progress("compare", "runs", options.inputs.empty() ? options.random_runs : 1);
  if (!options.inputs.empty()) {
    MACAW_ASSIGN(const auto inputs, given_inputs(options, program));
    MACAW_ASSIGN(auto run, once("given", inputs));
    runs.push_back(std::move(run));
    return runs;
  }
  for (unsigned i = 0; i < options.random_runs; ++i) {
    MACAW_ASSIGN(const auto inputs, program.random_inputs(options.seed + i));
    MACAW_ASSIGN(auto run, once(fmt::format("seed {}", options.seed + i), inputs));
    runs.push_back(std::move(run));
    progress.add();
  }
  return runs;
}

/// Tensors of another program in place of the graph: each one that a command of the network is known to write.
Result<std::vector<ComparedRun>> compare_tensors(const Options& options) {
  MACAW_ASSIGN(const auto subject, load_subject(options));
  MACAW_ASSIGN(const auto inputs, read_named_inputs(options.inputs));
  MACAW_ASSIGN(const auto reference, compare::reference_of(std::filesystem::path(options.tensors)));
  ComparedRun run{"given", {}, {}, "given"};
  MACAW_ASSIGN(run.location, compare::locate(reference, subject.artifact, *subject.accelerator, inputs));
  if (run.location->matched.empty())
    return fail(ErrorCode::kMismatch, "no tensor of the folder was found in what the network writes",
                {.file = options.tensors});
  return std::vector{std::move(run)};
}

Result<std::vector<ComparedRun>> compare_all(const Options& options, tosa::Graph& graph) {
  if (!options.tensors.empty()) return compare_tensors(options);
  if (std::filesystem::path(options.graph).extension() == ".tflite") {
    MACAW_ASSIGN(const auto network, tflite::load_network(options.graph));
    return compare_program(options, network);
  }
  MACAW_ASSIGN(graph, tosa::load_graph(options.graph));
  return compare_program(options, graph);
}

int run_compare(const Options& options) {
  if (!options.junit.empty())
    if (const auto free = check_output(options.junit, options.force); !free) return report_error(free.error());
  tosa::Graph graph;
  const auto runs = compare_all(options, graph);
  if (!runs) return report_error(runs.error());
  const bool equal = std::ranges::all_of(*runs, &ComparedRun::equal);
  const auto* block = graph.blocks.empty() ? nullptr : &graph.main();
  if (!options.junit.empty()) {
    std::vector<report::JunitCase> cases;
    for (const auto& run : *runs)
      cases.push_back({"macaw.compare", run.inputs, run.equal() ? "" : compared_text(run, block, false), {}});
    if (const auto done = io::write_file(options.junit, report::junit_xml("macaw compare", cases)); !done)
      return report_error(done.error());
  }
  if (options.json) fmt::print("{}\n", io::json_text(compared_json(*runs, block), 2));
  else
    for (const auto& run : *runs)
      fmt::print("{}", io::valid_utf8(compared_text(run, block, options.matches || !run.equal())));
  return equal ? kOk : kMismatch;
}

}  // namespace

void add_compare(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "compare",
      "Run a TOSA graph or a TensorFlow Lite network and what was compiled of it on the same inputs; name the first "
      "operator that differs");
  auto options = std::make_shared<Options>();
  command.add_option("GRAPH", options->graph, "TOSA graph (.tosa), or the network as .tflite before it was compiled")
      .required();
  command.add_option("ARTIFACT", options->artifact, "compiled network: raw npz, Vela tflite or ExecuTorch pte")
      .required();
  command.add_option("--input", options->inputs, "[NAME=]FILE.npy, in the graph's input order or by name; repeatable");
  command.add_option("--inputs", options->random_runs, "without --input: number of runs on random inputs")
      .in_range(1u, 1000000u);
  command.add_option("--seed", options->seed, "seed of the first random run");
  command.add_option("--tensors", options->tensors,
                     "folder of NAME.npy, values of tensors for these inputs, in place of the graph");
  command.add_option("--accelerator-config", options->accelerator, "accelerator, where the artifact does not say it");
  command.add_option("--debug-db", options->debug_db, "Vela's debug database, if it is not beside the artifact");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_flag("--matches", options->matches, "list how each tensor was recognised, also when all is equal");
  command.add_flag("--json", options->json, "machine-readable result");
  command.add_option("--junit", options->junit, "write a JUnit file");
  command.add_flag("--force", options->force, "overwrite the file of --junit");
  command.footer("Example: macaw compare net.tosa net_vela.npz --inputs 10");
  command.callback([options, &exit_code] { exit_code = run_compare(*options); });
}

}  // namespace macaw::app
