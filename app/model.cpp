#include <fmt/format.h>

#include <macaw/npy.hpp>

#include <memory>

#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "models/models.hpp"

namespace macaw::app {
namespace {

struct Options {
  std::string name, output, inputs, size = "full";
  std::uint64_t seed = 1;
  bool list = false, force = false, describe = false;
};

Result<void> write_inputs(const Options& options, const tosa::Graph& graph) {
  MACAW_ASSIGN(const auto tensors, models::sample_inputs(graph, options.seed));
  const std::filesystem::path directory(options.inputs);
  MACAW_CHECK(io::make_directory(directory));
  io::FileSet files;
  std::vector<std::filesystem::path> names;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto file = directory / fmt::format("input_{}.npy", i);
    MACAW_CHECK(check_output(file, options.force));
    MACAW_CHECK(files.add(file, format_npy(to_npy(tensors[i]))));
    names.push_back(file);
  }
  MACAW_CHECK(files.publish());
  if (!options.describe)
    for (const auto& file : names) say_written(file);
  return {};
}

/// Operators, multiply-accumulates and elements of constants with more than one.
nlohmann::json describe(const tosa::Graph& graph) {
  const auto& block = graph.main();
  std::int64_t operators = 0, parameters = 0;
  for (const auto& op : block.operators) operators += op.op != tosa::Op::kCONST && op.op != tosa::Op::kCONST_SHAPE;
  for (const auto& value : block.values)
    if (value.data && value.dtype != DType::kSHAPE && value.data->size() > 1) parameters += value.data->size();
  return {{"operators", operators}, {"macs", models::multiply_accumulates(graph)}, {"parameters", parameters}};
}

Result<void> build(const Options& options) {
  MACAW_ASSIGN(const auto* model, models::find(options.name));
  const auto graph = model->build({options.size == "tiny", options.seed});
  if (options.describe) fmt::print("{}\n", describe(graph).dump());
  if (!options.output.empty()) {
    MACAW_ASSIGN(const auto bytes, tosa::write_graph(graph, graph.version));
    MACAW_CHECK(write_output(options.output, bytes, options.force));
    if (!options.describe) say_written(options.output);
  }
  if (!options.inputs.empty()) MACAW_CHECK(write_inputs(options, graph));
  return {};
}

int run_model(const Options& options) {
  if (options.list) {
    for (const auto& model : models::all()) fmt::print("{:<13} {}\n", model.name, model.description);
    return kOk;
  }
  if (options.name.empty() || (options.output.empty() && options.inputs.empty() && !options.describe))
    return report_error({ErrorCode::kUsage, "give a NAME with --output, --inputs or --describe, or --list", {}});
  const auto built = build(options);
  return built ? int{kOk} : report_error(built.error());
}

}  // namespace

void add_model(Command app, int& exit_code) {
  auto command = app.add_subcommand("model", "Write one of the bundled networks as a TOSA 1.0 graph");
  auto options = std::make_shared<Options>();
  command.add_option("NAME", options->name, "network");
  command.add_option("-o,--output", options->output, "file to write (.tosa)");
  command.add_option("--inputs", options->inputs, "folder for sample inputs: input_0.npy, input_1.npy, ...");
  command
      .add_option("--size", options->size, "full: the original's shapes (default); tiny: the same operators, for tests")
      .one_of({"full", "tiny"});
  command.add_option("--seed", options->seed, "seed of weights and sample inputs");
  command.add_flag("--describe", options->describe, "print numbers of operators, MACs and parameters as JSON");
  command.add_flag("--list", options->list, "name the networks");
  command.add_flag("--force", options->force, "overwrite files");
  command.footer("Example: macaw model mobilenet_v2 -o mobilenet_v2.tosa --inputs .");
  command.callback([options, &exit_code] { exit_code = run_model(*options); });
}

}  // namespace macaw::app
