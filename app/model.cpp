#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <macaw/npy.hpp>

#include <memory>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "models/llama_checkpoint.hpp"
#include "models/models.hpp"

namespace macaw::app {
namespace {

struct ModelOptions {
  std::string name, output, inputs, size, form, activations, weights;
  std::uint64_t seed = 1;
  bool list = false, force = false, describe = false;
};

/// The requested graph and inputs: all of them are written, or none if one would overwrite a file.
class ModelFiles {
 public:
  explicit ModelFiles(bool force) : force_(force), files_(existing(force)) {}
  template <class Contents>
  Result<void> add(const std::filesystem::path& file, const Contents& contents) {
    MACAW_CHECK(check_output(file, force_));
    MACAW_CHECK(files_.add(file, contents));
    names_.push_back(file);
    return {};
  }
  [[nodiscard]] Result<void> publish() { return files_.publish(); }
  [[nodiscard]] const std::vector<std::filesystem::path>& names() const { return names_; }

 private:
  bool force_;
  io::FileSet files_;
  std::vector<std::filesystem::path> names_;
};

/// Inputs are named after the graph's file, so that inputs of several graphs can share a folder.
Result<void> add_inputs(ModelFiles& files, const ModelOptions& options, const tosa::Graph& graph) {
  MACAW_ASSIGN(const auto tensors, models::sample_inputs(graph, options.seed));
  const std::filesystem::path directory(options.inputs);
  const auto stem = options.output.empty() ? options.name : std::filesystem::path(options.output).stem().string();
  MACAW_CHECK(io::make_directory(directory));
  for (std::size_t i = 0; i < tensors.size(); ++i)
    MACAW_CHECK(files.add(directory / fmt::format("{}_input_{}.npy", stem, i), format_npy(to_npy(tensors[i]))));
  return {};
}

/// Operators, multiply-accumulates, elements of constants with more than one, and scales of outputs.
nlohmann::json describe(const tosa::Graph& graph, const std::map<std::string, double>& scales) {
  const auto& block = graph.main();
  std::int64_t operators = 0, parameters = 0;
  for (const auto& op : block.operators) operators += op.op != tosa::Op::kCONST && op.op != tosa::Op::kCONST_SHAPE;
  for (const auto& value : block.values)
    if (value.data && value.dtype != DType::kSHAPE && value.data->size() > 1) parameters += value.data->size();
  nlohmann::json facts{
      {"operators", operators}, {"macs", models::multiply_accumulates(graph)}, {"parameters", parameters}};
  if (!scales.empty()) facts["scales"] = scales;
  return facts;
}

/// kUsage for a word that is neither one of the model's nor a common one.
Result<void> check_choice(const char* option, const std::string& word, std::span<const std::string_view> own,
                          std::vector<std::string_view> words) {
  words.insert(words.begin(), own.begin(), own.end());
  if (word.empty() || std::ranges::find(words, word) != words.end()) return {};
  if (words.empty())
    return fail(ErrorCode::kUsage, fmt::format("{} {}: the network does not have this option", option, word));
  return fail(ErrorCode::kUsage, fmt::format("{} {}: expected one of {}", option, word, fmt::join(words, ", ")));
}

Result<void> build(const ModelOptions& options) {
  MACAW_ASSIGN(const auto* model, models::find(options.name));
  MACAW_CHECK(check_choice("--size", options.size, model->sizes, {"full", "tiny"}));
  MACAW_CHECK(check_choice("--form", options.form, model->forms, {}));
  MACAW_CHECK(check_choice("--activations", options.activations, model->activations, {}));
  models::BuildOptions build{
      .tiny = options.size == "tiny", .seed = options.seed, .form = options.form, .activations = options.activations};
  if (!model->sizes.empty() && options.size != "full" && !build.tiny) build.size = options.size;
  std::optional<models::LlamaCheckpoint> weights;
  if (!options.weights.empty()) {
    if (!model->takes_weights)
      return fail(ErrorCode::kUsage, fmt::format("--weights {}: {} takes no weights", options.weights, options.name));
    if (!options.size.empty())
      return fail(ErrorCode::kUsage, "--weights and --size cannot be used together: the file states the sizes");
    MACAW_ASSIGN(const auto bytes, io::read_file(options.weights));
    const std::filesystem::path file(options.weights);
    if (file.extension() == ".safetensors") {
      MACAW_ASSIGN(const auto config, io::read_file(file.parent_path() / "config.json"));
      const std::string_view text(reinterpret_cast<const char*>(config.data()), config.size());
      MACAW_ASSIGN(weights, models::LlamaCheckpoint::parse_safetensors(bytes, text, options.weights));
    } else {
      MACAW_ASSIGN(weights, models::LlamaCheckpoint::parse(bytes, options.weights));
    }
    build.weights = &*weights;
  }
  std::map<std::string, double> scales;
  build.scales = &scales;
  const auto graph = model->build(build);
  if (options.describe) print_stdout("{}\n", describe(graph, scales).dump());
  ModelFiles files(options.force);
  if (!options.output.empty()) {
    MACAW_ASSIGN(const auto bytes, tosa::write_graph(graph, graph.version));
    MACAW_CHECK(files.add(options.output, bytes));
  }
  if (!options.inputs.empty()) MACAW_CHECK(add_inputs(files, options, graph));
  MACAW_CHECK(files.publish());
  if (!options.describe)
    for (const auto& file : files.names()) print_written(file);
  return {};
}

int run_model(const ModelOptions& options) {
  if (options.list) {
    for (const auto& model : models::all()) print_stdout("{:<13} {}\n", model.name, model.description);
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
  auto options = std::make_shared<ModelOptions>();
  command.add_option("NAME", options->name, "network");
  command.add_option("-o,--output", options->output, "file to write (.tosa)");
  command
      .add_option("--inputs", options->inputs, "folder for sample inputs, named after the graph: net_input_0.npy, ...")
      .value("DIR");
  command.add_option("--size", options->size,
                     "full: the original's shapes (default); tiny: for tests; of llama_decoder 15m, 260k or 42m");
  command.add_option("--form", options->form, "form of a network that is one step of a sequence (docs/MODELS.md)");
  command.add_option("--activations", options->activations,
                     "type of the activations of llama_decoder: int8 (default) or int16; weights are int8");
  command.add_option(
      "--weights", options->weights,
      "weights of llama_decoder: a checkpoint of llama2.c (.bin), or a .safetensors file of a Llama model with its "
      "config.json beside it; they state the sizes");
  command.add_option("--seed", options->seed, "seed of weights and sample inputs");
  command.add_flag("--describe", options->describe,
                   "print numbers of operators, MACs and parameters, and scales of the outputs of a step, as JSON");
  command.add_flag("--list", options->list, "name the networks");
  command.add_flag("--force", options->force, "overwrite files");
  command.footer("Example: macaw model mobilenet_v2 -o mobilenet_v2.tosa --inputs .");
  command.callback([options, &exit_code] { exit_code = run_model(*options); });
}

}  // namespace macaw::app
