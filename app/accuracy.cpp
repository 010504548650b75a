#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <macaw/tflite/input_ports.hpp>
#include <macaw/tflite/to_float.hpp>
#include <macaw/threads.hpp>
#include <macaw/tosa/input_ports.hpp>

#include "app/batch/inputs.hpp"
#include "app/batch/labels.hpp"
#include "app/command.hpp"
#include "app/graph_file.hpp"
#include "app/input_option.hpp"
#include "app/output_file.hpp"
#include "app/preprocess/preprocess.hpp"
#include "base/file.hpp"
#include "base/foreign_format.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "workflow/accuracy/accuracy.hpp"
#include "workflow/accuracy/tosa_pair.hpp"
#include "workflow/report/embedded_html.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

namespace fs = std::filesystem;

constexpr int kMostThreads = 256;
constexpr std::size_t kMostPictures = 24;  // of sets whose class changed, on the page

struct AccuracyOptions {
  std::string reference, quantised;
  std::vector<std::string> artifacts, input_scales;
  std::string inputs, labels, raw, preprocess, accelerator;
  std::string min_sqnr, min_agreement, max_drop;
  std::string html, csv, json;
  InputFit fit;
  int threads = 0;
  bool force = false;
};

/// Limits below or above which the exit code is 1.
struct Limits {
  std::optional<double> min_sqnr, min_agreement, max_drop;
};

Result<std::optional<double>> number(const std::string& option, const std::string& text, double least, double most) {
  if (text.empty()) return std::nullopt;
  const auto value = io::number_of<double>(text);
  if (!value || !(*value >= least && *value <= most))
    return fail(ErrorCode::kUsage,
                fmt::format("{}: '{}' is not a number between {} and {}", option, text, least, most));
  return value;
}

Result<Limits> read_limits(const AccuracyOptions& options) {
  Limits limits;
  MACAW_ASSIGN(limits.min_sqnr, number("--min-sqnr", options.min_sqnr, -1000, 1000));
  MACAW_ASSIGN(limits.min_agreement, number("--min-agreement", options.min_agreement, 0, 1));
  MACAW_ASSIGN(limits.max_drop, number("--max-drop", options.max_drop, -100, 100));
  if (limits.max_drop && options.labels.empty())
    return fail(ErrorCode::kUsage, "--max-drop requires --labels: a drop is counted in right classes");
  return limits;
}

bool is_compiled(const tflite::Network& network) {
  return std::ranges::any_of(network.main().operators, [](const auto& op) { return op.name == "ethos-u"; });
}

/// Nothing if the file is not a network before it was compiled.
Result<std::optional<tflite::Network>> read_network(std::span<const std::byte> bytes, const std::string& file) {
  if (!tflite::is_tflite(bytes)) return std::nullopt;
  auto network = tflite::parse_network(bytes, file);
  if (!network && npu::parse_artifact(bytes, file))
    return std::nullopt;  // a compiled network, whose NPU operators read memory of their own
  if (!network) return tl::unexpected(network.error());
  if (is_compiled(*network)) return std::nullopt;
  return *std::move(network);
}

bool is_quantised(const tflite::Network& network) {
  const auto& main = network.main();
  return std::ranges::any_of(main.operators, [&](const auto& op) {
    return std::ranges::any_of(op.outputs, [&](int i) {
      return i >= 0 && accuracy::step_of(main.tensors[static_cast<std::size_t>(i)].dtype,
                                         main.tensors[static_cast<std::size_t>(i)].quantization.get());
    });
  });
}

struct Networks {
  tflite::Network reference, quantised;
  std::vector<npu::Artifact> artifacts;
};

tl::unexpected<Error> compiled_reference(const AccuracyOptions& options) {
  return fail(ErrorCode::kUsage, "expected the float network, or the quantised one, as .tflite before it was compiled",
              {.file = options.reference});
}

Result<Networks> load_networks(const AccuracyOptions& options, std::span<const std::byte> reference) {
  Networks networks;
  MACAW_ASSIGN(auto first, read_network(reference, options.reference));
  if (!first) return compiled_reference(options);
  auto files = options.artifacts;
  std::optional<tflite::Network> second;
  if (!options.quantised.empty()) {
    MACAW_ASSIGN(const auto bytes, io::read_file(options.quantised));
    MACAW_ASSIGN(second, read_network(bytes, options.quantised));
    if (!second) files.insert(files.begin(), options.quantised);
  }
  networks.quantised = second ? *std::move(second) : *first;
  if (!is_quantised(networks.quantised))
    return fail(ErrorCode::kUsage, "the network has no quantised tensors; give FLOAT and INT8, or INT8 alone",
                {.file = networks.quantised.file});
  MACAW_ASSIGN(networks.reference, tflite::to_float(*first));
  for (const auto& file : files) {
    MACAW_ASSIGN(auto artifact, npu::load_artifact(file));
    networks.artifacts.push_back(std::move(artifact));
  }
  return networks;
}

/// Reader of pictures and recordings; without --preprocess an error for each of them.
Result<FolderOptions> folder_options(const AccuracyOptions& options) {
  FolderOptions folder{.fit = options.fit, .raw = options.raw, .labels = options.labels};
  std::optional<Preprocessing> preprocessing;
  if (!options.preprocess.empty()) {
    MACAW_ASSIGN(preprocessing, load_preprocessing(options.preprocess));
  }
  folder.reader.takes = is_media;
  folder.reader.read = [preprocessing](const fs::path& file, const InputPort& port) -> Result<Tensor> {
    if (preprocessing) return read_media(file, port, *preprocessing);
    return fail(
        ErrorCode::kUsage,
        "a picture or recording: --preprocess FILE.toml must state how it becomes an input (docs/QUANTISATION.md)",
        {.file = file.string()});
  };
  return folder;
}

/// Sets of the quantised network's types, or of floats for the inputs that have a scale: the type of the first set says
/// which. Pictures and recordings are floats.
Result<BatchInputs> open_inputs(const AccuracyOptions& options, const std::vector<InputPort>& stored,
                                const std::vector<InputPort>& floats) {
  MACAW_ASSIGN(const auto folder, folder_options(options));
  MACAW_ASSIGN(auto as_stored, BatchInputs::open(options.inputs, stored, folder));
  const auto names = as_stored.names();
  if (std::ranges::any_of(names, [](const auto& name) { return is_media(name); }))
    return BatchInputs::open(options.inputs, floats, folder);
  const auto first = as_stored.get(0);
  if (first) return as_stored;
  auto as_floats = BatchInputs::open(options.inputs, floats, folder);
  if (as_floats && as_floats->get(0)) return as_floats;
  return tl::unexpected(first.error());
}

/// Adds the names of the sets whose class changed, and pictures of the first of them.
Result<void> show_flips(const BatchInputs& inputs, accuracy::Accuracy& result) {
  if (!result.classes) return {};
  const auto names = inputs.names();
  auto& flips = result.classes->flips;
  for (std::size_t i = 0; i < flips.size(); ++i) {
    flips[i].name = names[flips[i].set];
    if (i >= kMostPictures) continue;
    MACAW_ASSIGN(const auto set, inputs.get(flips[i].set));
    if (!set.empty()) flips[i].picture = accuracy::picture_of(set.front());
  }
  return {};
}

/// Measures with the labels, the threads and the progress of the call.
template <class Request>
Result<accuracy::Accuracy> measure_with(const AccuracyOptions& options, const BatchInputs& inputs, Request request) {
  if (const auto note = inputs.note()) print_stderr("macaw: {}\n", *note);
  if (!options.labels.empty()) {
    MACAW_ASSIGN(const auto labels, Labels::read(options.labels, inputs.names()));
    request.labels = labels.values();
  }
  const int machine = machine_threads();
  request.threads = std::clamp(options.threads == 0 ? machine : options.threads, 1, kMostThreads);
  report::Progress progress("accuracy", "sets", request.sets);
  request.done = [&] { progress.add(); };
  MACAW_ASSIGN(auto result, accuracy::measure(std::move(request)));
  MACAW_CHECK(show_flips(inputs, result));
  return result;
}

Result<accuracy::Accuracy> measure(const AccuracyOptions& options, const Networks& networks) {
  MACAW_ASSIGN(const auto as_float, tflite::to_float(networks.quantised));
  MACAW_ASSIGN(const auto inputs,
               open_inputs(options, tflite::input_ports(networks.quantised), tflite::input_ports(as_float)));
  accuracy::Request request{.reference = &networks.reference,
                            .quantised = &networks.quantised,
                            .pairing = accuracy::pair_networks(networks.reference, networks.quantised),
                            .artifacts = networks.artifacts,
                            .accelerator = options.accelerator,
                            .sets = inputs.size(),
                            .inputs = [&](std::size_t set) { return inputs.get(set); }};
  return measure_with(options, inputs, std::move(request));
}

/// "SCALE" or "SCALE,ZERO_POINT".
Result<Quantization> read_scale(const std::string& text) {
  const auto comma = text.find(',');
  const auto scale = io::number_of<double>(text.substr(0, comma));
  const auto zero =
      comma == text.npos ? std::optional<std::int64_t>(0) : io::number_of<std::int64_t>(text.substr(comma + 1));
  constexpr double kMost = 1e30;
  if (!scale || !zero || !(*scale > 1 / kMost && *scale < kMost) || *zero < -32768 || *zero > 32767)
    return fail(ErrorCode::kUsage, fmt::format("--input-scale: '{}' is not SCALE or SCALE,ZERO_POINT, a scale above 0 "
                                               "and a zero point from -32768 to 32767",
                                               text));
  return Quantization{.scale = {static_cast<float>(*scale)}, .zero_point = {*zero}};
}

/// A graph of floats and one of integers.
Result<accuracy::Accuracy> measure_graphs(const AccuracyOptions& options, std::span<const std::byte> bytes) {
  auto loaded = io::or_foreign_format(tosa::parse_graph(bytes, options.reference), bytes, options.reference);
  if (!loaded && npu::parse_artifact(bytes, options.reference)) return compiled_reference(options);
  MACAW_ASSIGN(const auto reference, std::move(loaded));
  if (options.quantised.empty())
    return fail(ErrorCode::kUsage,
                "expected a TOSA graph of floats and one of integers: a TOSA graph states no scales, so its float form "
                "cannot be derived",
                {.file = options.reference});
  MACAW_ASSIGN(const auto quantised, load_graph_file(options.quantised, 1));
  accuracy::TosaRequest request;
  request.reference = &reference;
  request.quantised = &quantised;
  request.reference_file = options.reference;
  request.quantised_file = options.quantised;
  request.accelerator = options.accelerator;
  for (const auto& text : options.input_scales) {
    MACAW_ASSIGN(auto scale, read_scale(text));
    request.input_scales.push_back(std::move(scale));
  }
  for (const auto& file : options.artifacts) {
    MACAW_ASSIGN(auto artifact, npu::load_artifact(file));
    request.artifacts.push_back(std::move(artifact));
  }
  MACAW_ASSIGN(const auto inputs, open_inputs(options, tosa::input_ports(quantised), tosa::input_ports(reference)));
  request.sets = inputs.size();
  request.inputs = [&](std::size_t set) { return inputs.get(set); };
  return measure_with(options, inputs, std::move(request));
}

/// FLOAT is a .tflite or a TOSA graph by its contents, whatever its name.
Result<accuracy::Accuracy> measure_files(const AccuracyOptions& options) {
  MACAW_ASSIGN(const auto bytes, io::read_file(options.reference));
  if (!tflite::is_tflite(bytes)) return measure_graphs(options, bytes);
  if (!options.input_scales.empty())
    return fail(ErrorCode::kUsage, "--input-scale is for TOSA graphs: a .tflite states its scales");
  MACAW_ASSIGN(const auto networks, load_networks(options, bytes));
  return measure(options, networks);
}

std::vector<std::string> failures(const accuracy::Accuracy& result, const Limits& limits) {
  std::vector<std::string> list;
  if (limits.min_sqnr && !(result.output_sqnr() >= *limits.min_sqnr))
    list.push_back(
        fmt::format("SQNR of the outputs: {:.2f} dB, less than --min-sqnr {}", result.output_sqnr(), *limits.min_sqnr));
  if (limits.min_agreement) {
    const double agreement = result.classes->share(result.classes->agree);
    if (agreement < *limits.min_agreement)
      list.push_back(fmt::format("agreement: {:.4f}, less than --min-agreement {}", agreement, *limits.min_agreement));
  }
  if (limits.max_drop && result.classes->drop() > *limits.max_drop)
    list.push_back(fmt::format("top-1 dropped by {:.2f} points, more than --max-drop {}", result.classes->drop(),
                               *limits.max_drop));
  for (const auto& npu : result.npus)
    if (npu.sets_different > 0)
      list.push_back(fmt::format("{}: outputs differ in {} sets", npu.file, npu.sets_different));
  return list;
}

/// All files are complete before one of them gets its name.
Result<void> write_results(const AccuracyOptions& options, const accuracy::Accuracy& result) {
  io::FileSet files(existing(options.force));
  if (!options.json.empty()) MACAW_CHECK(files.add(options.json, io::json_text(accuracy::to_json(result), 1) + "\n"));
  if (!options.csv.empty()) MACAW_CHECK(files.add(options.csv, accuracy::to_csv(result)));
  if (!options.html.empty())
    MACAW_CHECK(files.add(options.html, report::page_with(report::kAccuracyPage, accuracy::page_json(result))));
  return files.publish();
}

Result<int> run_accuracy(const AccuracyOptions& options) {
  MACAW_ASSIGN(const auto limits, read_limits(options));
  std::vector<fs::path> files;
  for (const auto& file : {options.html, options.csv, options.json})
    if (!file.empty()) files.emplace_back(file);
  MACAW_CHECK(check_outputs(files, options.force));
  MACAW_ASSIGN(const auto result, measure_files(options));
  if (limits.min_agreement && !result.classes)
    return fail(ErrorCode::kMismatch, "--min-agreement: the first output is not a list of one score for each class",
                {.file = result.quantised_file});
  MACAW_CHECK(write_results(options, result));
  print_stdout("{}", accuracy::to_text(result));
  const auto failed = failures(result, limits);
  for (const auto& line : failed) print_stderr("macaw: {}\n", line);
  return failed.empty() ? kOk : kMismatch;
}

}  // namespace

void add_accuracy(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "accuracy", "Measure layer by layer what quantisation costs, and compare the NPU with the quantised network");
  auto options = std::make_shared<AccuracyOptions>();
  command
      .add_option("FLOAT", options->reference,
                  "network as .tflite, run in float arithmetic with quantised constants dequantised, or TOSA graph of "
                  "floats")
      .required();
  command.add_option(
      "INT8", options->quantised,
      "the same network quantised, as .tflite, or TOSA graph of integers; left out: FLOAT is the quantised "
      ".tflite, and its dequantised form is the reference");
  command.add_option("ARTIFACT", options->artifacts,
                     "compiled forms of the quantised network: raw npz, Vela tflite or ExecuTorch pte");
  command
      .add_option("--inputs", options->inputs,
                  "sets of inputs: a folder with a file or folder for each, or an .npz or .npy whose arrays have the "
                  "sets along their first axis; floats, or elements of the quantised input's type")
      .required();
  add_fit_options(command, options->fit);
  add_raw_option(command, options->raw);
  command
      .add_option("--input-scale", options->input_scales,
                  "SCALE[,ZERO_POINT] of an input of a TOSA graph of integers, once for each input in its order")
      .one_value();
  command.add_option("--preprocess", options->preprocess,
                     ".toml that states how PNG, JPEG and WAV files of --inputs become inputs: resize, mean, scale, "
                     "layout");
  command.add_option("--labels", options->labels,
                     ".npy with the right class of each set, or .csv with a line for each (CLASS, or FILE, ..., "
                     "CLASS)");
  command.add_option("--min-sqnr", options->min_sqnr, "exit code 1 if the SQNR of an output is below DB decibels");
  command.add_option("--min-agreement", options->min_agreement,
                     "exit code 1 if less than SHARE (0 to 1) of the sets have the same class in both networks");
  command.add_option("--max-drop", options->max_drop,
                     "exit code 1 if top-1 drops by more than POINTS percentage points; requires --labels");
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, if an artifact does not state it");
  command
      .add_option("-j,--threads", options->threads,
                  "number of threads, which share the sets; 0: all cores (default); the figures do not depend on it")
      .in_range(0, kMostThreads);
  command.add_option("--html", options->html, "write a page");
  command.add_option("--csv", options->csv, "write a line for each layer");
  command.add_option("--json", options->json, "write all figures");
  command.add_flag("--force", options->force, "overwrite files");
  command.footer("Example: macaw accuracy float.tflite int8.tflite net_vela.tflite --inputs x.npy --labels y.npy");
  command.callback([options, &exit_code] {
    const auto done = run_accuracy(*options);
    exit_code = done ? *done : report_error(done.error());
  });
}

}  // namespace macaw::app
