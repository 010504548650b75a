#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/interpreter.hpp>

#include "app/batch/tflite.hpp"
#include "app/command.hpp"
#include "app/exclusive_options.hpp"
#include "app/input_option.hpp"
#include "app/output_file.hpp"
#include "app/sequence/options.hpp"
#include "base/file_name.hpp"
#include "base/npy_file.hpp"
#include "workflow/sequence/tflite_engine.hpp"

namespace macaw::app {
namespace {

namespace fs = std::filesystem;

struct TfliteOptions {
  std::string network;
  fs::path output_dir, dump_dir;
  std::vector<std::string> inputs;
  InputFit fit;
  BatchOptions batch;
  SequenceOptions sequence;
  int threads = 1;
  std::optional<std::int64_t> max_work;
  bool force = false, json = false;
};

Result<std::vector<Tensor>> given_inputs(const TfliteOptions& options, const tflite::Network& network) {
  MACAW_ASSIGN(auto named, read_named_inputs(options.inputs));
  return order_inputs(std::move(named), tflite::input_ports(network), options.fit);
}

tflite::RunOptions run_options(const TfliteOptions& options) {
  tflite::RunOptions run;
  if (options.max_work) run.max_work = *options.max_work;
  return run;
}

Result<void> write_tensors(const tflite::RunResult& run, const TfliteOptions& options) {
  std::vector<std::pair<fs::path, const Tensor*>> files;
  for (const auto& [name, tensor] : run.tensors)
    files.emplace_back(options.dump_dir / (io::file_name_of(name) + ".npy"), &tensor);
  for (std::size_t i = 0; i < run.outputs.size(); ++i)
    files.emplace_back(options.output_dir / fmt::format("output_{}.npy", i), &run.outputs[i]);
  std::vector<fs::path> names;
  for (const auto& [file, tensor] : files) names.push_back(file);
  MACAW_CHECK(check_outputs(names, options.force));
  if (!options.dump_dir.empty()) MACAW_CHECK(io::make_directory(options.dump_dir));
  for (std::size_t i = 0; i < run.tensors.size(); ++i) MACAW_CHECK(io::check_inside(options.dump_dir, names[i]));
  MACAW_CHECK(io::make_directory(options.output_dir));
  io::FileSet set(existing(options.force));
  for (const auto& [file, tensor] : files) MACAW_CHECK(io::add_tensor(set, file, *tensor));
  return set.publish();
}

Result<void> run_sets(const TfliteOptions& options, const tflite::Network& network) {
  BatchOptions batch = options.batch;
  if (!options.dump_dir.empty())
    for (const auto& op : network.main().operators)
      for (const int i : op.outputs)
        if (i >= 0)
          batch.tensor_files.push_back(
              options.dump_dir / (io::file_name_of(network.main().tensors[static_cast<std::size_t>(i)].name) + ".npy"));
  batch.output_dir = options.output_dir;
  batch.force = options.force;
  batch.fit = options.fit;
  batch.threads = options.threads;
  auto run = run_options(options);
  run.keep_tensors = !options.dump_dir.empty();
  MACAW_ASSIGN(const auto result, interpret_batch(network, batch, run));
  print_stdout("{}", options.json ? to_json(result) : to_text(result));
  return {};
}

/// --sequence: runs a network step by step; its variables are kept.
Result<void> run_steps(const TfliteOptions& options) {
  MACAW_CHECK(exclude("--sequence", {{"--labels", !options.batch.labels.empty()},
                                     {"--dump-tensors", !options.dump_dir.empty()},
                                     {"--threads", options.threads != 1}}));
  MACAW_ASSIGN(auto network, tflite::load_network(options.network));
  sequence::TfliteEngine engine(std::move(network), run_options(options));
  MACAW_ASSIGN(const auto summary, run_sequence(engine, options.sequence,
                                                {.command = "tflite",
                                                 .inputs = options.inputs,
                                                 .fit = options.fit,
                                                 .raw = options.batch.raw,
                                                 .output_dir = options.output_dir,
                                                 .force = options.force}));
  print_sequence(summary, options.json);
  return {};
}

Result<void> run_network(const TfliteOptions& options) {
  if (!options.sequence.sets.empty()) return run_steps(options);
  MACAW_CHECK(options.sequence.check());
  const bool sets = !options.batch.inputs.empty();
  if (!sets && (!options.batch.labels.empty() || options.threads != 1 || options.json))
    return fail(ErrorCode::kUsage, "--labels and --threads require --inputs, --json requires --inputs or --sequence");
  if (!sets && options.output_dir.empty()) return fail(ErrorCode::kUsage, "tflite: missing option '--output-dir DIR'");
  MACAW_ASSIGN(const auto network, tflite::load_network(options.network));
  if (sets) return run_sets(options, network);
  MACAW_ASSIGN(const auto inputs, given_inputs(options, network));
  tflite::State state;
  auto run = run_options(options);
  run.keep_tensors = !options.dump_dir.empty();
  MACAW_ASSIGN(const auto result, tflite::run(network, inputs, state, run));
  return write_tensors(result, options);
}

}  // namespace

void add_tflite(Command app, int& exit_code) {
  auto options = std::make_shared<TfliteOptions>();
  auto command = app.add_subcommand(
      "tflite", "Run a TensorFlow Lite network with the integers of its reference kernels (double rounding)");
  command.add_option("NETWORK", options->network, "network as .tflite, without NPU operators").required();
  command.add_option("-i,--input", options->inputs,
                     "[NAME=]FILE.npy, in the network's input order or by name; repeatable");
  add_batch_options(command, options->batch);
  add_sequence_options(command, options->sequence);
  add_fit_options(command, options->fit);
  command
      .add_option("-j,--threads", options->threads,
                  "with --inputs: run so many sets at the same time; 0: as many as the machine has (default: 1); the "
                  "outputs are the same bytes")
      .in_range(0, 256);
  command
      .add_option("--max-work", options->max_work, "abort runs that need more than N MAC-equivalents (default: 2^40)")
      .positive();
  command.add_option("-o,--output-dir", options->output_dir,
                     "folder for output_0.npy, output_1.npy, ...; required without --inputs and --sequence");
  command.add_flag("--json", options->json, "with --inputs and --sequence: print the figures as JSON");
  command.add_option(
      "--dump-tensors", options->dump_dir,
      "folder for what every operator of the main subgraph writes, as NAME.npy; with --inputs they have the "
      "sets along their first axis");
  command.add_flag("--force", options->force, "overwrite files");
  command.footer("Example: macaw tflite net.tflite --input x.npy --output-dir out");
  command.callback([options, &exit_code] {
    const auto done = run_network(*options);
    exit_code = done ? static_cast<int>(kOk) : report_error(done.error());
  });
}

}  // namespace macaw::app
