#include <fmt/format.h>

#include <filesystem>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/external_data.hpp>
#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/range_option.hpp"
#include "base/json_text.hpp"
#include "workflow/prove/prove.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

struct ProveOptions {
  std::string graph, artifact, method, accelerator, reproduce;
  std::vector<std::string> data, ranges;
  prove::Options prove;
  bool json = false, force = false;
};

Result<prove::Proof> prove_network(const ProveOptions& options) {
  const auto against = [&](const auto& program) -> Result<prove::Proof> {
    MACAW_ASSIGN(const auto artifact,
                 npu::load_artifact(options.artifact, options.method, {}, {options.data.begin(), options.data.end()}));
    MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, options.accelerator));
    report::Progress progress("prove", "steps");
    auto with_progress = options.prove;
    if (progress.active()) with_progress.progress = [&] { progress.add(); };
    return prove::prove(program, artifact, *accelerator, with_progress);
  };
  if (std::filesystem::path(options.graph).extension() == ".tflite") {
    MACAW_ASSIGN(const auto network, tflite::load_network(options.graph));
    return against(network);
  }
  MACAW_ASSIGN(const auto graph, tosa::load_graph(options.graph));
  return against(graph);
}

/// Writes a folder for each refuted tensor whose operators can run alone.
Result<std::vector<std::filesystem::path>> write_reproducers(const ProveOptions& options, const prove::Proof& proof) {
  std::vector<std::filesystem::path> folders;
  for (const auto& tensor : proof.tensors) {
    if (tensor.reproducer.empty()) continue;
    auto folder = std::filesystem::path(options.reproduce) / std::to_string(folders.size());
    for (const auto& file : tensor.reproducer) MACAW_CHECK(check_output(folder / file.name, options.force));
    MACAW_CHECK(reduce::write_reproducer(folder, tensor.reproducer, existing(options.force)));
    folders.push_back(std::move(folder));
  }
  return folders;
}

int run_prove(ProveOptions& options) {
  options.prove.reproduces = !options.reproduce.empty();
  auto stated = compare::parse_ranges(options.ranges);
  if (!stated) return report_error(stated.error());
  options.prove.ranges = *std::move(stated);
  const auto proof = prove_network(options);
  if (!proof) return report_error(proof.error());
  const auto written = write_reproducers(options, *proof);
  if (!written) return report_error(written.error());
  if (options.json) print_stdout("{}\n", io::json_text(prove::to_json(*proof), 2));
  else print_stdout("{}", prove::to_text(*proof));
  if (!options.json)
    for (const auto& folder : *written) print_written(folder);
  return proof->refuted() ? kMismatch : kOk;
}

}  // namespace

void add_prove(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "prove", "Prove operator by operator that a compiled network equals its source for all inputs");
  auto options = std::make_shared<ProveOptions>();
  command.add_option("GRAPH", options->graph, "TOSA graph (.tosa), or the network as .tflite before it was compiled")
      .required();
  command.add_option("ARTIFACT", options->artifact, "compiled network: raw npz, Vela tflite or ExecuTorch pte")
      .required();
  command.add_option("--inputs", options->prove.runs, "number of random inputs used to look for counterexamples")
      .in_range(1, 1000000);
  command.add_option("--seed,--random-inputs", options->prove.seed, "seed of the first random input");
  add_range_option(command, options->ranges);
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, if the artifact does not state it");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_option("--data", options->data, kDataHelp).one_value();
  command.add_option(
      "--reproduce", options->reproduce,
      "folder for what is refuted: DIR/0, DIR/1, ... have the operators alone as a network, with inputs");
  command.add_flag("--force", options->force, "overwrite files");
  command.add_flag("--json", options->json, "machine-readable result");
  command.footer("Example: macaw prove net.tosa net_vela.npz");
  command.callback([options, &exit_code] { exit_code = run_prove(*options); });
}

}  // namespace macaw::app
