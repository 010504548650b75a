#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include <macaw/npu/input_fit.hpp>
#include <macaw/npu/run.hpp>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/external_data.hpp>
#include "app/batch/sim.hpp"
#include "app/command.hpp"
#include "app/energy_option.hpp"
#include "app/event_dump.hpp"
#include "app/exclusive_options.hpp"
#include "app/findings_option.hpp"
#include "app/inference_option.hpp"
#include "app/input_option.hpp"
#include "app/layer_names.hpp"
#include "app/output_file.hpp"
#include "app/range_option.hpp"
#include "app/sequence/sim.hpp"
#include "app/sram_size.hpp"
#include "app/timing_options.hpp"
#include "app/version.hpp"
#include "base/json_text.hpp"
#include "base/shell_line.hpp"
#include "workflow/compare/trace/tensor_dump.hpp"
#include "workflow/report/name_tensors.hpp"
#include "workflow/report/progress.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/run_files.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/report/setup_json.hpp"
#include "workflow/run/origin.hpp"
#include "workflow/run/what_ifs.hpp"

namespace macaw::app {
namespace {

struct SimOptions {
  std::string artifact, method, output_dir, dump_dir, html, mode = "timed", accelerator;
  std::vector<std::string> inputs, ranges, events;
  TimingOptions timing;
  InferenceOptions inference;
  unsigned steps = 1;
  std::optional<std::uint64_t> max_cycles;
  std::optional<std::int64_t> max_work;
  std::optional<std::uint64_t> random_seed;
  bool json = false, print_config = false, blocks = false, advise = false;
  FindingPolicy findings = FindingPolicy::kWarn;
  std::string debug_db, vcd, graph, energy, etdump;
  std::vector<std::string> data;
  std::optional<std::uint64_t> sram_size;
  std::uint64_t activity_spans = report::kActivitySpans;
  bool force = false;
  InputFit fit;
  BatchOptions batch;
  SequenceOptions sequence;
  int threads = 1;
};

npu::RunMode mode_of(const SimOptions& options) { return npu::find_run_mode(options.mode).value(); }

/// The options of the call for a run.
Result<npu::TimedOptions> timed_options(const SimOptions& options, FindingList& findings) {
  MACAW_ASSIGN(auto timed, options.timing.timed());
  timed.blocks = options.blocks;
  timed.movements = true;
  const bool shows_activity = options.json || !options.html.empty() || !options.output_dir.empty();
  timed.activity_spans = shows_activity ? static_cast<std::size_t>(options.activity_spans) : 0;
  if (options.max_cycles) timed.max_cycles = *options.max_cycles;
  if (options.max_work) timed.functional.max_work = *options.max_work;
  timed.functional.threads = options.threads;
  timed.functional.findings = findings.sink();
  return timed;
}

/// Runs the spec with the options of the call and shows progress.
Result<npu::RunRecord> run_shown(const SimOptions& options, npu::RunSpec& spec, const std::filesystem::path& waveform,
                                 FindingList& findings) {
  MACAW_ASSIGN(spec.options, timed_options(options, findings));
  spec.options.vcd = waveform;
  report::Progress progress("sim", options.mode == "functional" ? "operations" : "cycles");
  if (progress.active()) spec.options.progress = [&](std::uint64_t done) { progress.add(done); };
  return npu::execute(spec);
}

report::RunFiles files_of(const SimOptions& options) {
  return {.folder = options.output_dir, .page = options.html, .sram_size = options.sram_size};
}

/// Checks that none of the run's files exists, unless they may be overwritten.
Result<void> check_files(const SimOptions& options, const npu::Artifact& artifact) {
  auto files = report::names(files_of(options), artifact, mode_of(options));
  if (!options.vcd.empty()) files.insert(files.begin(), options.vcd);
  if (!options.etdump.empty()) {
    MACAW_ASSIGN(const auto dump, event_dump_files(options.etdump, artifact));
    files.insert(files.begin(), dump.begin(), dump.end());
  }
  return check_outputs(files, options.force);
}

/// The waveform is written during the run; it gets its name together with the other files.
Result<std::optional<io::TemporaryFile>> waveform_file(const SimOptions& options) {
  if (options.vcd.empty()) return std::nullopt;
  return io::TemporaryFile::create(options.vcd);
}

/// Everything is computed before the first byte is written, and all files are complete before one gets its name.
Result<void> write_results(const SimOptions& options, const npu::RunSpec& spec,
                           const std::vector<npu::NamedTensor>& inputs, const npu::RunRecord& record,
                           std::optional<io::TemporaryFile> waveform) {
  io::FileSet files(existing(options.force));
  if (!options.dump_dir.empty() || !options.etdump.empty()) {
    MACAW_ASSIGN(const auto trace, compare::trace_program(spec.artifact, spec.accelerator, inputs, false));
    if (!options.etdump.empty()) MACAW_CHECK(add_event_dump(files, options.etdump, trace, record));
    if (!options.dump_dir.empty()) {
      MACAW_CHECK(io::make_directory(options.dump_dir));
      MACAW_CHECK(compare::add_tensors(files, options.dump_dir, spec.artifact, trace.records));
    }
  }
  MACAW_CHECK(report::add_files(files, files_of(options), record));
  if (waveform) MACAW_CHECK(waveform->publish(existing(options.force)));
  return files.publish();
}

/// The call that repeats the run in timing mode with one thing changed.
std::string call_of(const SimOptions& options, const run::WhatIf& change) {
  std::vector<std::string> words{"macaw", "sim", options.artifact, "--mode", "timing"};
  for (const auto& input : options.inputs) words.insert(words.end(), {"--input", input});
  if (options.random_seed) words.insert(words.end(), {"--random-inputs", std::to_string(*options.random_seed)});
  for (const auto& range : options.ranges) words.insert(words.end(), {"--range", range});
  if (!options.method.empty()) words.insert(words.end(), {"--method", options.method});
  for (const auto& file : options.data) words.insert(words.end(), {"--data", file});
  if (!options.accelerator.empty()) words.insert(words.end(), {"--accelerator-config", options.accelerator});
  std::ranges::copy(options.timing.arguments(change.memory_mode), std::back_inserter(words));
  for (const auto& [name, value] : change.params) words.insert(words.end(), {"-C", fmt::format("{}={}", name, value)});
  return io::shell_line(words);
}

/// Recognises graphs, which are flatbuffers as well, but not compiled networks.
Result<npu::Artifact> load(const SimOptions& options) {
  auto artifact = npu::load_artifact(options.artifact, options.method, options.debug_db,
                                     {options.data.begin(), options.data.end()});
  if (!artifact && std::filesystem::path(options.artifact).extension() == ".tosa")
    return fail(ErrorCode::kUsage,
                "a TOSA graph, not a compiled network: 'macaw tosa' runs it as it is, 'macaw compile' makes a command "
                "stream of it",
                {.file = options.artifact});
  return artifact;
}

/// The call of the run, with file names without folders, so that a report does not depend on its location.
std::string own_call(const SimOptions& options) {
  std::vector<std::string> words{"macaw", "sim", std::filesystem::path(options.artifact).filename().string(), "--mode",
                                 options.mode};
  if (!options.method.empty()) words.insert(words.end(), {"--method", options.method});
  for (const auto& file : options.data)
    words.insert(words.end(), {"--data", std::filesystem::path(file).filename().string()});
  if (!options.accelerator.empty()) words.insert(words.end(), {"--accelerator-config", options.accelerator});
  std::ranges::copy(options.timing.arguments(), std::back_inserter(words));
  if (options.advise) words.emplace_back("--advise");
  return io::shell_line(words);
}

/// Completes the record of a timed run: names from a debug database or a graph, the CPU's costs, what-if runs.
Result<void> explain(const SimOptions& options, const npu::RunSpec& spec, const std::vector<npu::NamedTensor>& inputs,
                     npu::RunRecord& record) {
  if (options.graph.empty()) report::name_by_tensors(record.operations, spec.artifact);
  else MACAW_CHECK(name_layers(options.graph, spec.artifact, spec.accelerator, inputs, record.operations));
  MACAW_ASSIGN(record.inference, options.inference.predict(spec, record));
  MACAW_ASSIGN(record.origin, run::origin_of(spec, kVersion, own_call(options)));
  if (!options.advise) return {};
  MACAW_ASSIGN(record.advice,
               run::advise(spec, record, [&](const run::WhatIf& change) { return call_of(options, change); }));
  return {};
}

bool has_streams(const npu::Artifact& artifact) {
  return std::ranges::any_of(artifact.steps, [](auto& s) { return std::holds_alternative<npu::CommandStream>(s); });
}

/// kUsage if no command stream exists, as in a network that was not compiled.
Result<void> expect_streams(const npu::Artifact& artifact) {
  if (has_streams(artifact)) return {};
  constexpr const char* kText =
      "the network is not compiled for an Ethos-U (0 of {} operators on the NPU); compile it with Vela, or run it with "
      "'macaw tflite' or --mode functional";
  return fail(ErrorCode::kUsage, fmt::format(kText, artifact.steps.size()), {.file = artifact.file});
}

/// The fit of a run without time; always true without --sram-size.
Result<SramFit> fit_of(const SimOptions& options, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                       const std::vector<npu::NamedTensor>& inputs) {
  if (!options.sram_size) return SramFit{};
  FindingList unchecked(FindingPolicy::kOff);
  MACAW_ASSIGN(auto timed, timed_options(options, unchecked));
  return sram_fit({.artifact = artifact, .accelerator = accelerator, .inputs = inputs, .options = std::move(timed)},
                  *options.sram_size);
}

/// Whether the network fits into --sram-size.
Result<bool> run_sets(const SimOptions& options, npu::Artifact artifact, const npu::Accelerator& accelerator) {
  if (options.mode != "functional")
    return fail(ErrorCode::kUsage, "--inputs requires --mode functional (data sets are not timed)");
  MACAW_CHECK(exclude("--inputs", {{"--random-inputs", options.random_seed.has_value()},
                                   {"--steps", options.steps > 1},
                                   {"--etdump", !options.etdump.empty()}}));
  BatchOptions batch = options.batch;
  batch.output_dir = options.output_dir;
  batch.force = options.force;
  batch.fit = options.fit;
  batch.threads = options.threads;
  MACAW_ASSIGN(const auto fit, fit_of(options, artifact, accelerator, {}));
  const BatchRun run{.max_work = options.max_work, .dump_dir = options.dump_dir};
  MACAW_ASSIGN(const auto result, simulate_batch(std::move(artifact), accelerator, batch, run));
  print_stdout("{}{}", options.json ? to_json(result) : to_text(result), options.json ? "" : fit.text);
  return fit.fits;
}

Result<void> check_sequence_options(const SimOptions& options) {
  return exclude("--sequence", {{"--random-inputs", options.random_seed.has_value()},
                                {"--steps", options.steps > 1},
                                {"--dump-tensors", !options.dump_dir.empty()},
                                {"--graph", !options.graph.empty()},
                                {"--advise", options.advise},
                                {"--vcd", !options.vcd.empty()},
                                {"--etdump", !options.etdump.empty()},
                                {"--labels", !options.batch.labels.empty()}});
}

/// Runs a network step after step and writes the outputs of all steps, the report and the page. Returns whether the
/// network fits into --sram-size.
Result<bool> run_steps(const SimOptions& options, const npu::Artifact& artifact, const npu::Accelerator& accelerator) {
  MACAW_CHECK(check_sequence_options(options));
  MACAW_CHECK(check_files(options, artifact));
  FindingList findings(options.findings);
  SimSequence setup{.mode = mode_of(options), .events = options.events, .energy = options.energy};
  MACAW_ASSIGN(setup.options, timed_options(options, findings));
  const npu::RunSpec spec{.artifact = artifact, .accelerator = accelerator, .options = setup.options};
  setup.check = [&] { return findings.verdict(artifact.file); };
  setup.explain = [&](npu::RunRecord& record) -> Result<void> {
    record.findings = findings.findings();
    return options.mode == "functional" ? Result<void>() : explain(options, spec, {}, record);
  };
  const SequenceRun run{.command = "sim",
                        .inputs = options.inputs,
                        .fit = options.fit,
                        .raw = options.batch.raw,
                        .output_dir = options.output_dir,
                        .force = options.force};
  auto done = simulate_sequence(artifact, accelerator, std::move(setup), options.sequence, run);
  print_stderr("{}", findings.to_text("macaw: finding: "));
  MACAW_ASSIGN(const auto record, std::move(done));
  io::FileSet files(existing(options.force));
  SramFit fit;
  if (options.mode == "functional") {
    MACAW_ASSIGN(fit, fit_of(options, artifact, accelerator, {}));
  } else {
    fit.fits = report::fits(report::summarise(record), options.sram_size);
  }
  const report::RunFiles page{.folder = {}, .page = options.html, .sram_size = options.sram_size};
  if (!options.html.empty()) MACAW_CHECK(report::add_files(files, page, record));
  const auto report = io::json_text(report::to_json(record), 1);
  const auto report_file = std::filesystem::path(options.output_dir) / "report.json";
  if (!options.output_dir.empty()) {
    MACAW_CHECK(io::make_directory(options.output_dir));
    MACAW_CHECK(files.add(report_file, report + "\n"));
  }
  MACAW_CHECK(files.publish());
  if (options.json) print_stdout("{}\n", report);
  else print_stdout("{}{}", report::to_text(record, artifact, options.sram_size), fit.text);
  if (!options.json && !options.output_dir.empty()) print_written(report_file);
  if (!options.json && !options.html.empty()) print_written(options.html);
  return fit.fits;
}

void warn_of_memory_mode(const npu::Accelerator& accelerator, const std::string& mode) {
  if (!npu::traits(accelerator.family).has_dedicated_sram && mode == "Dedicated_Sram")
    print_stderr("macaw: U55 has no Dedicated_Sram: Vela compiles for that mode on U65 and U85 alone\n");
}

/// Rejects options that have no effect in this mode, or together with another option.
Result<void> check_options(const SimOptions& options) {
  const bool dump = !options.dump_dir.empty(), events = !options.etdump.empty(), steps = options.steps > 1;
  if (steps) MACAW_CHECK(exclude("--steps", {{"--dump-tensors", dump}, {"--etdump", events}}));
  if (options.mode == "timing")
    MACAW_CHECK(exclude("--mode timing", {{"--dump-tensors", dump}, {"--steps", steps}, {"--etdump", events}}));
  if (options.mode == "functional")
    MACAW_CHECK(exclude("--mode functional", {{"--html", !options.html.empty()},
                                              {"--energy", !options.energy.empty()},
                                              {"--advise", options.advise},
                                              {"--graph", !options.graph.empty()},
                                              {"--vcd", !options.vcd.empty()},
                                              {"--pmu", !options.events.empty()},
                                              {"--etdump", events}}));
  if (!options.energy.empty() && options.sequence.sets.empty())
    MACAW_CHECK(exclude("--energy", {{"--json", options.json}}));
  if (!options.ranges.empty() && !options.random_seed)
    return fail(ErrorCode::kUsage, "--range requires --random-inputs");
  MACAW_CHECK(options.inference.check());
  MACAW_CHECK(options.sequence.check());
  return check_energy(options.energy);
}

/// An ExecuTorch program without a delegate runs on the CPU, which has values and no cycles here.
void run_on_cpu(SimOptions& options, const npu::Artifact& artifact) {
  if (artifact.format != npu::Artifact::Format::kExecuTorch || options.mode != "timed") return;
  if (artifact.steps.empty() || has_streams(artifact)) return;
  print_stderr("macaw: {}: no Ethos-U delegate; kernels run on the CPU, without cycles\n", artifact.file);
  options.mode = "functional";
}

/// Whether the network fits into --sram-size. Long: the steps of a run in their order.
Result<bool> simulate(SimOptions options) {
  MACAW_CHECK(check_options(options));
  MACAW_ASSIGN(auto artifact, load(options));
  run_on_cpu(options, artifact);
  MACAW_CHECK(check_options(options));
  if (options.mode != "functional") MACAW_CHECK(expect_streams(artifact));
  MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, options.accelerator));
  if (!options.batch.inputs.empty()) return run_sets(options, std::move(artifact), *accelerator);
  if (!options.batch.labels.empty()) return fail(ErrorCode::kUsage, "--labels requires --inputs");
  if (!options.sequence.sets.empty() && !options.print_config) return run_steps(options, artifact, *accelerator);
  if (options.print_config || options.mode != "functional") {  // a wrong system is reported before missing inputs
    MACAW_ASSIGN(const auto timed, options.timing.timed());
    MACAW_ASSIGN(const auto setup, report::setup_json(*accelerator, timed));
    if (options.print_config) {
      print_stdout("{}\n", io::json_text(setup, 1));
      return true;
    }
  }
  // A run of time alone needs no inputs unless the stream branches or a DMA job moves rows by index.
  MACAW_ASSIGN(const auto inputs, options.mode == "timing" && !options.random_seed
                                      ? read_named_inputs(options.inputs)
                                      : read_inputs_of(artifact, options.inputs, options.random_seed, options.ranges));
  MACAW_ASSIGN(const auto notes, npu::check_inputs(artifact, inputs, options.fit));
  for (const auto& note : notes) print_stderr("macaw: {}\n", note);
  MACAW_CHECK(check_files(options, artifact));
  FindingList findings(options.findings);
  MACAW_ASSIGN(auto waveform, waveform_file(options));
  npu::RunSpec spec{.artifact = artifact,
                    .accelerator = *accelerator,
                    .inputs = inputs,
                    .mode = mode_of(options),
                    .steps = options.steps,
                    .events = options.events};
  auto run = run_shown(options, spec, waveform ? waveform->path() : "", findings);
  if (waveform) run = named(std::move(run), *waveform, options.vcd);
  print_stderr("{}", findings.to_text("macaw: finding: "));
  MACAW_ASSIGN(auto record, std::move(run));
  MACAW_CHECK(findings.verdict(artifact.file));
  warn_of_memory_mode(*accelerator, record.memory_mode);
  record.findings = findings.findings();
  if (options.mode != "functional") MACAW_CHECK(explain(options, spec, inputs, record));
  std::string energy;
  if (!options.energy.empty()) {
    MACAW_ASSIGN(energy, energy_text(options.energy, record));
  }
  SramFit fit;
  if (options.mode == "functional") {
    MACAW_ASSIGN(fit, fit_of(options, artifact, *accelerator, inputs));
  } else {
    fit.fits = report::fits(report::summarise(record), options.sram_size);
  }
  MACAW_CHECK(write_results(options, spec, inputs, record, std::move(waveform)));
  if (options.json) print_stdout("{}\n", io::json_text(report::to_json(record), 1));
  else print_stdout("{}{}{}", report::to_text(record, artifact, options.sram_size), fit.text, energy);
  if (options.json) return fit.fits;
  if (!options.output_dir.empty()) print_written(std::filesystem::path(options.output_dir) / "report.json");
  for (const auto& file : {options.html, options.vcd, options.etdump})
    if (!file.empty()) print_written(file);
  return fit.fits;
}

}  // namespace

// Long: a statement for each option.
void add_sim(Command app, int& exit_code) {
  auto command = app.add_subcommand("sim", "Run a compiled network: outputs, PMU counters, cycles");
  auto options = std::make_shared<SimOptions>();
  command.add_option("ARTIFACT", options->artifact, "compiled network: Vela .npz or .tflite, ExecuTorch .pte")
      .required();
  command.add_option("-i,--input", options->inputs, "input as .npy, in the network's order or by name; repeatable");
  command.add_option("--random-inputs", options->random_seed, "random inputs from seed N, in place of --input");
  add_range_option(command, options->ranges);
  add_batch_options(command, options->batch);
  add_sequence_options(command, options->sequence);
  add_fit_options(command, options->fit);
  command.add_option("-j,--threads", options->threads, "number of threads; 0: all cores (default: 1)").in_range(0, 256);
  command.add_option("-o,--output-dir", options->output_dir,
                     "folder for output_0.npy, output_1.npy, ... and report.json");
  command.add_option("--dump-tensors", options->dump_dir, "write the output of every operation as NUMBER_NAME.npy");
  command.add_option(
      "--etdump", options->etdump,
      "write ExecuTorch's event dump of a .pte with the result of every operation, whose bytes go to the "
      "same name with .bin");
  command.add_option("--html", options->html, "write the report page");
  command
      .add_option("--mode", options->mode,
                  "functional: values only; timed: values and cycles (default); timing: cycles only")
      .one_of({"functional", "timed", "timing"});
  command.add_option("-a,--accelerator-config", options->accelerator,
                     "accelerator, if the artifact does not state it, e.g. ethos-u55-128");
  options->timing.add_to(command);
  options->inference.add_to(command);
  command.add_flag("--print-config", options->print_config,
                   "print the configuration as JSON, each value with its source, and stop");
  command
      .add_option("--pmu", options->events,
                  "events to count (4, U85: 8): names or numbers of 'macaw list events', separated by commas")
      .delimiter(',')
      .one_value();
  command.add_flag("--blocks", options->blocks, "report every OFM block of every operation");
  command
      .add_option("--steps", options->steps,
                  "number of inferences with the same inputs; state is kept between them, and the last is reported")
      .positive();
  command.add_option("--max-cycles", options->max_cycles, "abort runs that take more than N cycles, per command stream")
      .positive();
  command
      .add_option("--max-work", options->max_work, "abort runs that need more than N MAC-equivalents (default: 2^38)")
      .positive();
  command.add_option("--vcd", options->vcd, "write a waveform of units and ports; 1 ns is one NPU cycle");
  command.add_option("--graph", options->graph,
                     "source network (.tosa, .tflite) for the names of layers, if there is no debug database");
  command.add_flag("--advise", options->advise,
                   "what-if analysis: repeat the run with one limit of a memory or of the NPU relaxed at a time");
  add_sram_size(command, options->sram_size);
  add_energy(command, options->energy);
  command.add_option("--activity-spans", options->activity_spans,
                     "number of timeline spans kept for each unit; short gaps are merged (default: 1000; 0: none)");
  command.add_flag("--force", options->force, "overwrite files");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_option("--data", options->data, kDataHelp).one_value();
  command.add_option("--debug-db", options->debug_db, "Vela's debug database, if it is not beside the artifact");
  add_findings_option(command, options->findings);
  command.add_flag("--json", options->json, "print the report as JSON");
  command.footer("Example: macaw sim net_vela.npz --input x.npy --output-dir out --mode timed");
  command.callback([options, &exit_code] {
    const auto result = simulate(*options);
    exit_code = !result ? report_error(result.error()) : *result ? int{kOk} : int{kMismatch};
  });
}

}  // namespace macaw::app
