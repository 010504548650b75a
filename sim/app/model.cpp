#include <fmt/format.h>

#include <macaw/npy.hpp>

#include <memory>

#include "models/models.hpp"
#include "reference/io/file.hpp"
#include "sim/app/command.hpp"
#include "sim/app/output_file.hpp"

namespace macaw::app {
namespace {

struct Options {
  std::string name, output, inputs, size = "full";
  std::uint64_t seed = 1;
  bool list = false, force = false;
};

Result<void> write_inputs(const Options& options, const tosa::Graph& graph) {
  MACAW_ASSIGN(const auto tensors, models::sample_inputs(graph, options.seed));
  const std::filesystem::path directory(options.inputs);
  MACAW_CHECK(io::make_directory(directory));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto file = directory / fmt::format("input_{}.npy", i);
    MACAW_CHECK(write_output(file, format_npy(to_npy(tensors[i])), options.force));
  }
  return {};
}

Result<void> build(const Options& options) {
  MACAW_ASSIGN(const auto* model, models::find(options.name));
  const auto graph = model->build({options.size == "tiny", options.seed});
  if (!options.output.empty()) {
    MACAW_ASSIGN(const auto bytes, tosa::write_graph(graph, graph.version));
    MACAW_CHECK(write_output(options.output, bytes, options.force));
  }
  if (!options.inputs.empty()) MACAW_CHECK(write_inputs(options, graph));
  return {};
}

int run_model(const Options& options) {
  if (options.list) {
    for (const auto& model : models::all()) fmt::print("{:<13} {}\n", model.name, model.description);
    return kOk;
  }
  if (options.name.empty() || (options.output.empty() && options.inputs.empty()))
    return report_error({ErrorCode::kUsage, "give a NAME with --output or --inputs, or --list", {}});
  const auto built = build(options);
  return built ? int{kOk} : report_error(built.error());
}

}  // namespace

void add_model(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("model", "Write one of the bundled networks as a TOSA 1.0 graph");
  auto options = std::make_shared<Options>();
  command->add_option("NAME", options->name, "network");
  command->add_option("-o,--output", options->output, "file to write (.tosa)");
  command->add_option("--inputs", options->inputs, "folder for sample inputs: input_0.npy, input_1.npy, ...");
  command
      ->add_option("--size", options->size,
                   "full: the original's shapes (default); tiny: the same operators, for tests")
      ->check(CLI::IsMember({"full", "tiny"}));
  command->add_option("--seed", options->seed, "seed of weights and sample inputs");
  command->add_flag("--list", options->list, "name the networks");
  command->add_flag("--force", options->force, "overwrite files");
  command->footer("Example: macaw model mobilenet_v2 -o mobilenet_v2.tosa --inputs .");
  command->callback([options, &exit_code] { exit_code = run_model(*options); });
}

}  // namespace macaw::app
