#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <macaw/tosa/interpreter.hpp>
#include <macaw/tosa/json_graph.hpp>
#include <macaw/tosa/mlir_text.hpp>

#include "app/batch/tosa.hpp"
#include "app/command.hpp"
#include "app/custom_op_option.hpp"
#include "app/exclusive_options.hpp"
#include "app/graph_file.hpp"
#include "app/input_option.hpp"
#include "app/output_file.hpp"
#include "app/sequence/options.hpp"
#include "app/tosa_results.hpp"
#include "base/large_memory.hpp"
#include "reference/tosa/claimed_profiles.hpp"
#include "reference/tosa/description.hpp"
#include "workflow/sequence/tosa_engine.hpp"

namespace macaw::app {
namespace {

namespace fs = std::filesystem;

struct TosaOptions {
  // Macaw's own
  std::string graph, function, output_dir, convert, level = "EIGHTK";
  std::vector<std::string> inputs, variables, profiles, extensions, custom_op_libs;
  int threads = 0;
  std::optional<std::int64_t> max_work;
  bool write_variables = false, force = false, json = false;
  InputFit fit;
  BatchOptions batch;
  SequenceOptions sequence;
  // options of Arm's tosa_reference_model
  std::string test_desc, tosa_file, flatbuffer_dir, operator_fbs, fp_format, loglevel, logfile;
  std::vector<std::string> ifm_name, ifm_file, ofm_name, ofm_file, variable_name, variable_file, debugmask;
  bool eval = true, validate_only = false, output_tensors = true, dump_intermediates = false, precise_mode = false;
  bool variables_from_numpy = false, terminate_early = false;
};

bool is_description(const std::string& file) { return fs::path(file).extension() == ".json"; }

/// Whether tosa_reference_model would accept the call; this decides the exit codes.
bool is_reference_call(const TosaOptions& o) {
  return !o.test_desc.empty() || !o.tosa_file.empty() || is_description(o.graph);
}

std::vector<fs::path> below(const fs::path& dir, const std::vector<std::string>& names) {
  std::vector<fs::path> paths;
  for (const auto& name : names) paths.push_back(dir / name);
  return paths;
}

Result<void> paired(std::size_t names, std::size_t files, const char* kind) {
  if (names == files) return {};
  return fail(ErrorCode::kUsage, fmt::format("--{0}_name and --{0}_file must be of equal length", kind));
}

/// --variable_name and --variable_file override the description, each or both.
Result<void> override_variables(const TosaOptions& o, std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> names = o.variable_name, files = o.variable_file;
  // Arm's runner passes these options without a value.
  for (auto* list : {&names, &files}) std::erase(*list, "");
  const bool own_names = names.empty(), own_files = files.empty();
  for (const auto& [name, file] : variables) {
    if (own_names) names.push_back(name);
    if (own_files) files.push_back(file);
  }
  MACAW_CHECK(paired(names.size(), files.size(), "variable"));
  variables.clear();
  for (std::size_t i = 0; i < names.size(); ++i) variables.emplace_back(names[i], files[i]);
  return {};
}

/// The description that corresponds to a call of the reference model: a file, and flags that override it.
Result<tosa::TestDescription> reference_description(const TosaOptions& o) {
  tosa::TestDescription d;
  const auto desc_file = o.test_desc.empty() && is_description(o.graph) ? o.graph : o.test_desc;
  fs::path dir = o.flatbuffer_dir;
  if (!desc_file.empty()) {
    MACAW_ASSIGN(d, tosa::read_description(desc_file, o.flatbuffer_dir));
    if (o.flatbuffer_dir.empty()) dir = fs::path(desc_file).parent_path();
  }
  if (!o.tosa_file.empty()) d.graph = dir / o.tosa_file;
  else if (desc_file.empty()) d.graph = o.graph;
  if (!o.ifm_name.empty()) d.input_names = o.ifm_name;
  if (!o.ifm_file.empty()) d.input_files = below(dir, o.ifm_file);
  if (!o.ofm_name.empty()) d.output_names = o.ofm_name;
  if (!o.ofm_file.empty()) d.output_files = o.ofm_file;
  MACAW_CHECK(override_variables(o, d.variable_files));
  if (o.variables_from_numpy)
    for (const auto& [name, file] : d.variable_files) d.initial_variables.emplace_back(name, dir / file);
  if (!o.output_dir.empty()) d.output_dir = o.output_dir;
  MACAW_CHECK(paired(d.input_names.size(), d.input_files.size(), "ifm"));
  MACAW_CHECK(paired(d.output_names.size(), d.output_files.size(), "ofm"));
  return d;
}

/// Splits [NAME=]FILE; an '=' that is part of an existing path does not separate.
std::pair<std::string, std::string> named_file(const std::string& text) {
  std::error_code ignored;
  const auto equals = fs::exists(text, ignored) ? std::string::npos : text.rfind('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// GRAPH.tosa with --input [NAME=]FILE.npy.
tosa::TestDescription plain_description(const TosaOptions& o) {
  tosa::TestDescription d;
  d.graph = o.graph;
  d.output_dir = o.output_dir;
  d.fit = o.fit;
  for (const auto& text : o.inputs) {
    auto [name, file] = named_file(text);
    d.input_names.push_back(std::move(name));
    d.input_files.emplace_back(std::move(file));
  }
  return d;
}

void print(const TosaOptions& o, const tosa::Verdict& verdict, const std::vector<std::string>& files) {
  if (o.json) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const auto& f : verdict.findings)
      findings.push_back({{"status", f.status == tosa::Status::kValid ? "WARNING" : std::string(to_string(f.status))},
                          {"place", f.place},
                          {"argument", f.argument},
                          {"rule", f.rule},
                          {"text", f.text}});
    const nlohmann::ordered_json report = {
        {"status", std::string(to_string(verdict.status()))}, {"findings", findings}, {"outputs", files}};
    print_stdout("{}\n", io::json_text(report, 1));
    return;
  }
  for (const auto& finding : verdict.findings) print_stderr("macaw: {}\n", finding.to_string());
  for (const auto& file : files) print_stdout("{}\n", file);
}

/// A graph that already violates the specification when it is read has a verdict like any other.
Result<tosa::RunResult> run(const TosaOptions& o, const tosa::TestDescription& description,
                            std::optional<tosa::Graph>& graph, const tosa::Options& options) {
  auto loaded = is_description(description.graph.string()) ? tosa::load_json_graph(description.graph, o.operator_fbs)
                                                           : load_graph_file(description.graph, o.threads, o.function);
  if (!loaded && loaded.error().code == ErrorCode::kInvalidGraph) return tosa::error_result(loaded.error());
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  graph = std::move(*loaded);
  if (o.validate_only || !o.eval) {
    tosa::RunResult result;
    MACAW_ASSIGN(result.verdict, tosa::validate(*graph, options));
    return result;
  }
  return tosa::run_description(description, *graph, options);
}

/// --convert: writes the graph in the format of the file's extension.
Result<void> convert(const TosaOptions& o) {
  MACAW_ASSIGN(const auto graph, load_graph_file(o.graph, o.threads, o.function));
  auto bytes =
      fs::path(o.convert).extension() == ".mlir" ? tosa::write_mlir(graph) : tosa::write_graph(graph, graph.version);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return write_output(o.convert, *bytes, o.force);
}

Result<tosa::Options> run_options(const TosaOptions& o) {
  tosa::Options options;
  options.level = o.level == "NONE" ? tosa::kLevelNone : tosa::kLevel8K;
  MACAW_ASSIGN(options.profiles, tosa::claimed_profiles(o.profiles, o.extensions));
  MACAW_CHECK(load_custom_ops(o.custom_op_libs));
  options.keep_intermediates = o.dump_intermediates;
  options.precise = o.precise_mode;
  options.threads = o.threads;
  if (o.max_work) options.max_work = *o.max_work;
  return options;
}

/// --inputs: runs a data set through a graph.
Result<void> run_sets(const TosaOptions& o) {
  MACAW_CHECK(exclude("--inputs", {{"a description", is_reference_call(o)},
                                   {"--variable", !o.variables.empty()},
                                   {"--write-variables", o.write_variables},
                                   {"--dump_intermediates", o.dump_intermediates}}));
  BatchOptions batch = o.batch;
  batch.output_dir = o.output_dir;
  batch.force = o.force;
  batch.fit = o.fit;
  batch.threads = o.threads;
  MACAW_ASSIGN(const auto options, run_options(o));
  MACAW_ASSIGN(const auto graph, load_graph_file(o.graph, o.threads, o.function));
  MACAW_ASSIGN(const auto result, interpret_batch(graph, batch, options));
  print_stdout("{}", o.json ? to_json(result) : to_text(result));
  return {};
}

/// --sequence: runs a graph step by step; its variables are kept.
Result<void> run_steps(const TosaOptions& o) {
  MACAW_CHECK(exclude("--sequence", {{"a description", is_reference_call(o)},
                                     {"--write-variables", o.write_variables},
                                     {"--dump_intermediates", o.dump_intermediates},
                                     {"--labels", !o.batch.labels.empty()}}));
  MACAW_ASSIGN(auto options, run_options(o));
  MACAW_ASSIGN(auto graph, load_graph_file(o.graph, o.threads, o.function));
  for (const auto& text : o.variables) {
    const auto [name, file] = named_file(text);
    if (name.empty()) return fail(ErrorCode::kUsage, fmt::format("--variable {}: must be NAME=FILE.npy", text));
    MACAW_ASSIGN(const auto* variable, tosa::find_variable(graph, name));
    MACAW_ASSIGN(options.variables[name], read_tensor(file, variable->dtype));
  }
  const auto engine = sequence::tosa_engine(std::move(graph), std::move(options));
  MACAW_ASSIGN(const auto summary, run_sequence(*engine, o.sequence,
                                                {.command = "tosa",
                                                 .inputs = o.inputs,
                                                 .fit = o.fit,
                                                 .raw = o.batch.raw,
                                                 .output_dir = o.output_dir,
                                                 .force = o.force}));
  print_sequence(summary, o.json);
  return {};
}

Result<tosa::Status> execute(const TosaOptions& o) {
  const KeepFreedMemory keep_freed_memory;
  const bool reference = is_reference_call(o);
  tosa::TestDescription description;
  if (reference) {
    MACAW_ASSIGN(description, reference_description(o));
  } else {
    description = plain_description(o);
  }
  for (const auto& text : o.variables) {
    const auto [name, file] = named_file(text);
    if (name.empty()) return fail(ErrorCode::kUsage, fmt::format("--variable {}: must be NAME=FILE.npy", text));
    description.initial_variables.emplace_back(name, file);
  }
  if (o.write_variables && !reference && o.output_dir.empty())
    return fail(ErrorCode::kUsage, "--write-variables: needs --output-dir");
  MACAW_ASSIGN(const auto options, run_options(o));
  std::optional<tosa::Graph> graph;
  MACAW_ASSIGN(const auto result, run(o, description, graph, options));

  std::vector<std::string> files;
  // The reference model writes only valid results.
  const bool has_folder = reference ? result.verdict.status() == tosa::Status::kValid : !o.output_dir.empty();
  const bool finished = !result.outputs.empty() || result.verdict.status() == tosa::Status::kValid;
  if (graph && has_folder && o.output_tensors && o.eval && !o.validate_only && finished) {
    std::optional<tosa::RunResult> bounds;
    if (options.precise && description.bounds_required) {
      auto bounds_options = options;
      bounds_options.bounds = true;
      bounds_options.keep_intermediates = false;
      MACAW_ASSIGN(bounds, tosa::run_description(description, *graph, bounds_options));
    }
    // The reference model overwrites files, and its users rely on it.
    MACAW_ASSIGN(files, write_tosa_results(description, *graph,
                                           {.run = result,
                                            .bounds = bounds ? &*bounds : nullptr,
                                            .all_variables = o.write_variables,
                                            .overwrite = reference || o.force}));
  }
  print(o, result.verdict, files);
  return result.verdict.status();
}

int run_tosa(const TosaOptions& o) {
  const bool reference = is_reference_call(o);
  if (o.graph.empty() && !reference) return report_error(Error{ErrorCode::kUsage, "tosa: missing argument GRAPH", {}});
  if (!o.graph.empty() && (!o.test_desc.empty() || !o.tosa_file.empty())) {
    report_error(Error{ErrorCode::kUsage, "tosa: give a graph, or --test_desc and --tosa_file, not both", {}});
    return kInvalid;
  }
  if (!o.convert.empty()) {
    const auto done = convert(o);
    return done ? int{kOk} : report_error(done.error());
  }
  if (!o.batch.inputs.empty()) {
    const auto done = run_sets(o);
    return done ? int{kOk} : report_error(done.error());
  }
  if (!o.sequence.sets.empty()) {
    const auto done = run_steps(o);
    return done ? int{kOk} : report_error(done.error());
  }
  if (const auto done = o.sequence.check(); !done) return report_error(done.error());
  if (!o.batch.labels.empty()) return report_error(Error{ErrorCode::kUsage, "--labels requires --inputs", {}});
  const auto status = execute(o);
  if (!status) {
    const int code = report_error(status.error());
    return reference ? static_cast<int>(kInvalid)
                     : code;  // never 1 or 2, which tosa_reference_model's callers read as verdicts
  }
  switch (*status) {
    case tosa::Status::kValid: return kOk;
    case tosa::Status::kUnpredictable: return reference ? 1 : kUnpredictable;
    case tosa::Status::kError: return reference ? 2 : kInvalid;
  }
  return kInternal;
}

void add_reference_options(Command cmd, TosaOptions& o) {
  const std::string group = "tosa_reference_model's options";
  const auto text = [&](const char* name, std::string& value, const char* help) {
    cmd.add_option(name, value, help).group(group);
  };
  const auto list = [&](const char* name, std::vector<std::string>& value, const char* help) {
    cmd.add_option(name, value, help).delimiter(',').group(group);
  };
  const auto number = [&](const char* name, bool& value, const char* help) {
    cmd.add_option(name, value, help).group(group);
  };
  text("--test_desc", o.test_desc, "Test description (desc.json)");
  text("--tosa_file", o.tosa_file, "Graph, below --flatbuffer_dir; instead of the description's");
  text("--flatbuffer_dir", o.flatbuffer_dir, "Folder of the graph and the inputs; default: the description's");
  list("--ifm_name", o.ifm_name, "Input names, separated by commas");
  list("--ifm_file", o.ifm_file, "Input files (npy), separated by commas");
  list("--input_tensor_file", o.ifm_file, "The same");
  list("--ofm_name", o.ofm_name, "Output names, separated by commas");
  list("--ofm_file", o.ofm_file, "Output files (npy), separated by commas");
  list("--variable_name", o.variable_name, "Variable names, separated by commas");
  list("--variable_file", o.variable_file, "Variable files (npy), separated by commas; written after the run");
  number("--initialize_variable_tensor_from_numpy", o.variables_from_numpy,
         "Read the variable files before the run (0/1)");
  number("--eval", o.eval, "Run the graph (0/1)");
  number("--validate_only", o.validate_only, "Check the graph without inputs (0/1)");
  number("--output_tensors", o.output_tensors, "Write the outputs (0/1)");
  number("--dump_intermediates", o.dump_intermediates,
         "Write every tensor of the main block as intermediate_NAME.npy (0/1)");
  number("-p,--precise_mode", o.precise_mode,
         "Run in double precision (0/1); with a description that asks for it, also write bounds_<output>");
  cmd.add_flag("--terminate_early{true}", o.terminate_early, "Stop at a broken REQUIRE; Macaw always stops")
      .group(group);
  text("--operator_fbs", o.operator_fbs, "Flatbuffer schema for a graph in JSON; not needed for a .tosa");
  text("--fp_format", o.fp_format, "Taken and not used: there is no debug dump");
  text("-l,--loglevel", o.loglevel, "Taken and not used");
  text("--logfile", o.logfile, "Taken and not used");
  list("-d,--debugmask", o.debugmask, "Taken and not used");
}

}  // namespace

void add_tosa(Command app, int& exit_code) {
  auto options = std::make_shared<TosaOptions>();
  auto cmd = app.add_subcommand("tosa", "Run a TOSA graph");
  cmd.add_option("graph", options->graph, "GRAPH.tosa, .mlir, .vgf or .spv, or a test description desc.json");
  cmd.add_option("--function", options->function, "Function of an MLIR text; default: @main, or the only one");
  cmd.add_option("-i,--input", options->inputs, "[NAME=]FILE.npy, once for each input of a graph");
  add_batch_options(cmd, options->batch);
  add_sequence_options(cmd, options->sequence);
  add_fit_options(cmd, options->fit);
  cmd.add_option("-o,--output-dir,--output_dir", options->output_dir, "Folder for the outputs");
  cmd.add_option("--variable", options->variables, "NAME=FILE.npy, contents of a variable before the run");
  cmd.add_flag("--write-variables", options->write_variables,
               "Write the contents of variables after the run as variable_NAME.npy, beside the outputs");
  cmd.add_option("--tosa_level,--level", options->level, "Level to check: NONE or EIGHTK").one_of({"NONE", "EIGHTK"});
  cmd.add_option("-j,--threads", options->threads,
                 "Threads for large operators, with --inputs for sets of inputs; 0 for as many as the machine has; "
                 "outputs are the same bytes")
      .in_range(0, 256);
  cmd.add_option("--max-work", options->max_work, "Abort runs that need more than N MAC-equivalents (default: 2^40)")
      .positive();
  cmd.add_option(
         "--profile", options->profiles,
         "Profiles the graph may use (PRO-INT, PRO-FP), separated by commas; default with no --extension either: "
         "all profiles and extensions")
      .delimiter(',');
  cmd.add_option("--extension", options->extensions,
                 "Extensions the graph may use (EXT-BF16, ...), separated by commas; needs --profile")
      .delimiter(',');
  cmd.add_option("--convert", options->convert,
                 "Write the graph to this file instead of running it: .mlir as MLIR text, any other as a flatbuffer");
  add_custom_op_option(cmd, options->custom_op_libs);
  cmd.add_flag("--force", options->force,
               "Overwrite outputs of a graph, or the file of --convert; those of a description always are");
  cmd.add_flag("--json", options->json, "Print the verdict as JSON");
  add_reference_options(cmd, *options);
  cmd.add_version("-v,--version", "Model version " MACAW_VERSION);
  cmd.footer(
      "Examples:\n"
      "  macaw tosa model.tosa --input input-0=x.npy --output-dir out\n"
      "  macaw tosa model.tosa --inputs images.npy --labels labels.npy --output-dir out\n"
      "  macaw tosa desc.json --output-dir out\n"
      "Exit codes for a graph: 0 ok, 2 usage, 3 invalid, 4 unpredictable; for a description or with --tosa_file, those "
      "of\n"
      "tosa_reference_model: 0 valid, 1 unpredictable, 2 ERROR; 3 what could not be run.");
  cmd.callback([options, &exit_code] { exit_code = run_tosa(*options); });
}

}  // namespace macaw::app
