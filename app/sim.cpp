#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include <macaw/npu/input_fit.hpp>
#include <macaw/npu/timed_simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

#include <macaw/npu/choose_accelerator.hpp>
#include "app/batch/sim.hpp"
#include "app/command.hpp"
#include "app/energy_option.hpp"
#include "app/findings_option.hpp"
#include "app/input_option.hpp"
#include "app/layer_names.hpp"
#include "app/output_file.hpp"
#include "app/shell_line.hpp"
#include "app/timing_options.hpp"
#include "base/json_text.hpp"
#include "base/npy_file.hpp"
#include "workflow/compare/trace/tensor_dump.hpp"
#include "workflow/report/advice.hpp"
#include "workflow/report/name_tensors.hpp"
#include "workflow/report/progress.hpp"
#include "workflow/report/render.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/report/setup_json.hpp"

namespace macaw::app {
namespace {

struct SimOptions {
  std::string artifact, method, output_dir, dump_dir, html, mode = "timed", accelerator;
  std::vector<std::string> inputs, events;
  TimingOptions timing;
  unsigned steps = 1;
  std::optional<std::uint64_t> max_cycles;
  std::optional<std::int64_t> max_work;
  std::optional<std::uint64_t> random_seed;
  bool json = false, print_config = false, blocks = false, advise = false;
  FindingPolicy findings = FindingPolicy::kWarn;
  std::string debug_db, vcd, graph, energy;
  std::optional<std::uint64_t> sram_size;
  std::uint64_t activity_spans = report::kActivitySpans;
  bool force = false;
  InputFit fit;
  BatchOptions batch;
  int threads = 1;
};

Result<npu::TimedResult> run_mode(const SimOptions& options, const npu::Artifact& artifact,
                                  const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs,
                                  npu::FunctionalOptions functional, const std::filesystem::path& waveform,
                                  report::Progress& progress) {
  if (options.mode == "functional") {
    npu::TimedResult result;
    if (progress.active()) functional.observer = [&](const npu::OperationEvent&) { progress.add(); };
    MACAW_ASSIGN(result.values, npu::run_functional(artifact, accelerator, inputs, functional));
    return result;
  }
  MACAW_ASSIGN(auto timed, options.timing.timed());
  timed.blocks = options.blocks;
  timed.movements = true;
  const bool shows_activity = options.json || !options.html.empty() || !options.output_dir.empty();
  timed.activity_spans = shows_activity ? static_cast<std::size_t>(options.activity_spans) : 0;
  timed.vcd = waveform;
  if (options.max_cycles) timed.max_cycles = *options.max_cycles;
  if (progress.active()) timed.progress = [&](std::uint64_t cycles) { progress.add(cycles); };
  timed.values = options.mode == "timed";
  timed.functional = std::move(functional);
  return npu::run_timed(artifact, accelerator, inputs, timed);
}

/// Runs of the same inputs, each with the variables that the one before it left; the last one's result.
Result<npu::TimedResult> run_steps(const SimOptions& options, const npu::Artifact& artifact,
                                   const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs,
                                   const std::filesystem::path& waveform, FindingList& findings) {
  if (options.steps > 1 && options.mode == "timing")
    return fail(ErrorCode::kUsage, "--steps: without values every run is the same; choose another mode");
  report::Progress progress("sim", options.mode == "functional" ? "operations" : "cycles");
  npu::TimedResult result;
  for (unsigned step = 0; step < options.steps; ++step) {
    npu::FunctionalOptions functional;
    functional.host = &tflite::host_operators();
    functional.threads = options.threads;
    if (options.max_work) functional.max_work = *options.max_work;
    if (step == 0) functional.findings = findings.sink();  // they are the same in every run
    for (auto& variable : result.values.variables) functional.variables.push_back({"", std::move(variable)});
    MACAW_ASSIGN(result, run_mode(options, artifact, accelerator, inputs, std::move(functional), waveform, progress));
  }
  return result;
}

/// The run as `macaw report` reads it from report.json.
Result<trace::SavedRun> saved(const report::RunReport& report) {
  return trace::parse_saved_run(io::json_text(report::to_json(report)), "report.json");
}

std::vector<std::string> names_of_outputs(const SimOptions& options, const npu::Artifact& artifact) {
  std::vector<std::string> names;
  for (std::size_t i = 0; options.mode != "timing" && i < artifact.outputs.size(); ++i)
    names.push_back(fmt::format("output_{}.npy", i));
  return names;
}

/// None of the files that the run is to write is there, unless they may be overwritten.
Result<void> check_files(const SimOptions& options, const std::vector<std::string>& outputs) {
  std::vector<std::filesystem::path> files;
  if (!options.vcd.empty()) files.emplace_back(options.vcd);
  if (!options.html.empty()) files.emplace_back(options.html);
  if (!options.output_dir.empty()) {
    const std::filesystem::path folder = options.output_dir;
    for (const auto& name : outputs) files.push_back(folder / name);
    files.push_back(folder / "report.json");
  }
  return check_outputs(files, options.force);
}

/// Where the waveform is written during the run; it gets its name with the other files.
Result<std::optional<io::TemporaryFile>> waveform_file(const SimOptions& options) {
  if (options.vcd.empty()) return std::nullopt;
  return io::TemporaryFile::create(options.vcd);
}

/// Everything is computed before the first byte is written, and all files are whole before one gets its name. The
/// report comes last: where it is new, so is the rest.
Result<void> write_results(const SimOptions& options, const report::RunReport& report,
                           const std::vector<npu::NamedTensor>& inputs, const npu::Accelerator& accelerator,
                           std::optional<io::TemporaryFile> waveform) {
  io::FileSet files(existing(options.force));
  if (!options.dump_dir.empty()) {
    MACAW_ASSIGN(const auto trace,
                 compare::trace_program(*report.artifact, accelerator, inputs, false, &tflite::host_operators()));
    MACAW_CHECK(io::make_directory(options.dump_dir));
    MACAW_CHECK(compare::add_tensors(files, options.dump_dir, *report.artifact, trace.records));
  }
  if (!options.html.empty()) {
    MACAW_ASSIGN(const auto run, saved(report));
    const auto page = report::render_html(run, report::summarise(run));
    if (!options.output_dir.empty()) MACAW_CHECK(io::make_directory(options.output_dir));  // the page may go there
    MACAW_CHECK(files.add(options.html, page));
  }
  if (!options.output_dir.empty()) {
    const std::filesystem::path folder = options.output_dir;
    MACAW_CHECK(io::make_directory(folder));
    for (std::size_t i = 0; i < report.output_files.size(); ++i)
      MACAW_CHECK(io::add_tensor(files, folder / report.output_files[i], report.run.values.outputs[i]));
    MACAW_CHECK(files.add(folder / "report.json", io::json_text(report::to_json(report), 1) + "\n"));
  }
  if (waveform) MACAW_CHECK(waveform->publish(existing(options.force)));
  return files.publish();
}

/// The call that repeats the run in timing mode with one thing changed.
std::string call_of(const SimOptions& options, const report::WhatIf& change) {
  std::vector<std::string> words{"macaw", "sim", options.artifact, "--mode", "timing"};
  for (const auto& input : options.inputs) words.insert(words.end(), {"--input", input});
  if (!options.method.empty()) words.insert(words.end(), {"--method", options.method});
  if (!options.accelerator.empty()) words.insert(words.end(), {"--accelerator-config", options.accelerator});
  std::ranges::copy(options.timing.arguments(change.memory_mode), std::back_inserter(words));
  for (const auto& [name, value] : change.params) words.insert(words.end(), {"-C", fmt::format("{}={}", name, value)});
  return shell_line(words);
}

/// A graph is no compiled network, though both are flatbuffers.
Result<npu::Artifact> load(const SimOptions& options) {
  auto artifact = npu::load_artifact(options.artifact, options.method, options.debug_db);
  if (!artifact && std::filesystem::path(options.artifact).extension() == ".tosa")
    return fail(ErrorCode::kUsage,
                "a TOSA graph, not a compiled network: 'macaw tosa' runs it as it is, 'macaw compile' makes a command "
                "stream of it",
                {.file = options.artifact});
  return artifact;
}

/// What a debug database, a graph and reruns say of a run with time.
Result<void> explain(const SimOptions& options, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                     const std::vector<npu::NamedTensor>& inputs, report::RunReport& report) {
  if (options.graph.empty()) report::name_by_tensors(report.run.operations, artifact);
  else MACAW_CHECK(name_layers(options.graph, artifact, accelerator, inputs, report.run.operations));
  if (!options.advise) return {};
  MACAW_ASSIGN(auto timed, options.timing.timed());
  timed.functional.host = &tflite::host_operators();
  MACAW_ASSIGN(report.advice, report::advise(artifact, accelerator, inputs, timed, report.run.cycles,
                                             [&](const report::WhatIf& change) { return call_of(options, change); }));
  report.advised = true;
  return {};
}

/// kUsage where the NPU has nothing to do, as in a network that was not compiled for it.
Result<void> has_streams(const npu::Artifact& artifact) {
  if (std::ranges::any_of(artifact.steps, [](const auto& s) { return std::holds_alternative<npu::CommandStream>(s); }))
    return {};
  return fail(
      ErrorCode::kUsage,
      fmt::format("there is nothing for an Ethos-U in this network, all of its {} operators are left to the CPU: "
                  "compile it with Vela first, or run it with 'macaw tflite' or --mode functional",
                  artifact.steps.size()),
      {.file = artifact.file});
}

Result<void> run_sets(const SimOptions& options, npu::Artifact artifact, const npu::Accelerator& accelerator) {
  if (options.mode != "functional")
    return fail(ErrorCode::kUsage, "--inputs: many sets of inputs run without time; add --mode functional");
  if (options.random_seed || options.steps > 1 || !options.dump_dir.empty())
    return fail(ErrorCode::kUsage, "--inputs: no --random-inputs, --steps or --dump-tensors, which are of one run");
  BatchOptions batch = options.batch;
  batch.output_dir = options.output_dir;
  batch.force = options.force;
  batch.fit = options.fit;
  batch.threads = options.threads;
  MACAW_ASSIGN(const auto result, simulate_batch(std::move(artifact), accelerator, batch, options.max_work));
  print_stdout("{}", options.json ? to_json(result) : to_text(result));
  return {};
}

/// By a table of energy; nothing without one.
Result<std::string> energy_of(const SimOptions& options, const report::RunReport& report) {
  if (options.energy.empty()) return "";
  MACAW_ASSIGN(const auto run, saved(report));
  return energy_text(options.energy, run);
}

/// Figures of a system that there is not.
void warn_of_memory_mode(const npu::Accelerator& accelerator, const std::string& mode) {
  if (!npu::traits(accelerator.family).has_dedicated_sram && mode == "Dedicated_Sram")
    tell("macaw: U55 has no Dedicated_Sram: Vela compiles for that mode on U65 and U85 alone\n");
}

/// Options that the mode, or another option, leaves nothing to do.
Result<void> check_options(const SimOptions& options) {
  if (!options.dump_dir.empty() && (options.mode == "timing" || options.steps > 1))
    return fail(ErrorCode::kUsage, "--dump-tensors shows the values of one run: no --mode timing, no --steps");
  if (!options.html.empty() && options.mode == "functional")
    return fail(ErrorCode::kUsage, "--html shows cycles, which a functional run has not; choose another mode");
  if (!options.energy.empty() && (options.mode == "functional" || options.json))
    return fail(ErrorCode::kUsage, "--energy adds text to a run with time: no --mode functional, no --json");
  return check_energy(options.energy);
}

Result<void> simulate(const SimOptions& options) {
  MACAW_CHECK(check_options(options));
  MACAW_ASSIGN(auto artifact, load(options));
  if (options.mode != "functional") MACAW_CHECK(has_streams(artifact));
  else if (options.advise || !options.graph.empty())
    return fail(ErrorCode::kUsage, "--graph and --advise are about cycles, which a functional run has not");
  MACAW_ASSIGN(const auto* accelerator, npu::choose_accelerator(artifact, options.accelerator));
  if (!options.batch.inputs.empty()) return run_sets(options, std::move(artifact), *accelerator);
  if (!options.batch.labels.empty()) return fail(ErrorCode::kUsage, "--labels goes with --inputs");
  if (options.print_config) {
    MACAW_ASSIGN(const auto timed, options.timing.timed());
    MACAW_ASSIGN(const auto setup, report::setup_json(*accelerator, timed));
    print_stdout("{}\n", io::json_text(setup, 1));
    return {};
  }
  if (!options.vcd.empty() && options.mode == "functional")
    return fail(ErrorCode::kUsage, "--vcd: a functional run has no time");
  MACAW_ASSIGN(const auto inputs, options.mode == "timing"
                                      ? read_named_inputs(options.inputs)
                                      : read_inputs_of(artifact, options.inputs, options.random_seed));
  MACAW_ASSIGN(const auto notes, npu::check_inputs(artifact, inputs, options.fit));
  for (const auto& note : notes) tell("macaw: {}\n", note);
  MACAW_ASSIGN(auto counters, report::select_events(*accelerator, options.events));
  if (!counters.empty() && options.mode == "functional")
    return fail(ErrorCode::kUsage, "--pmu: a functional run has no counters");
  report::RunReport report{.network = std::filesystem::path(options.artifact).filename().string(),
                           .accelerator = std::string(accelerator->name),
                           .mode = options.mode,
                           .timing_adapter = options.timing.timing_adapter == "on",
                           .artifact = &artifact,
                           .run = {},
                           .output_files = names_of_outputs(options, artifact),
                           .counters = {},
                           .findings = {},
                           .sram_size = options.sram_size};
  MACAW_CHECK(check_files(options, report.output_files));
  FindingList findings(options.findings);
  MACAW_ASSIGN(auto waveform, waveform_file(options));
  auto run = run_steps(options, artifact, *accelerator, inputs, waveform ? waveform->path() : "", findings);
  if (waveform) run = named(std::move(run), *waveform, options.vcd);
  tell("{}", findings.to_text("macaw: finding: "));
  MACAW_ASSIGN(report.run, std::move(run));
  MACAW_CHECK(findings.verdict(artifact.file));
  warn_of_memory_mode(*accelerator, report.run.memory_mode);
  report.findings = findings.findings();
  report.counters = report::read_counters(std::move(counters), report.run.pmu);
  if (options.mode != "functional") MACAW_CHECK(explain(options, artifact, *accelerator, inputs, report));
  MACAW_ASSIGN(const auto energy, energy_of(options, report));
  MACAW_CHECK(write_results(options, report, inputs, *accelerator, std::move(waveform)));
  if (options.json) print_stdout("{}\n", io::json_text(report::to_json(report), 1));
  else print_stdout("{}{}", report::to_text(report), energy);
  if (options.json) return {};
  if (!options.output_dir.empty()) say_written(std::filesystem::path(options.output_dir) / "report.json");
  for (const auto& file : {options.html, options.vcd})
    if (!file.empty()) say_written(file);
  return {};
}

}  // namespace

// Long: a statement for each option.
void add_sim(Command app, int& exit_code) {
  auto command = app.add_subcommand("sim", "Run a compiled network: outputs, PMU counters, cycles");
  auto options = std::make_shared<SimOptions>();
  command.add_option("ARTIFACT", options->artifact, "compiled network: Vela npz or tflite, ExecuTorch pte").required();
  command.add_option("--input", options->inputs,
                     "[NAME=]FILE.npy, in the network's input order or by name; repeatable");
  command.add_option("--random-inputs", options->random_seed, "without --input: random bytes from this seed");
  add_batch_options(command, options->batch);
  add_fit_options(command, options->fit);
  command
      .add_option("--threads", options->threads,
                  "threads for the rows of large operations, with --inputs for sets of inputs; 0: as many as the "
                  "machine has (default: 1); the outputs are the same bytes")
      .in_range(0, 256);
  command.add_option("--output-dir", options->output_dir, "folder for output_0.npy, output_1.npy, ... and report.json");
  command.add_option("--dump-tensors", options->dump_dir,
                     "folder for what every operation writes, as NUMBER_NAME.npy, named by a debug database");
  command.add_option("--html", options->html, "write the page of macaw report --html");
  command
      .add_option("--mode", options->mode,
                  "functional: values only; timed: values and cycles (default); timing: cycles only")
      .one_of({"functional", "timed", "timing"});
  command.add_option("--accelerator-config", options->accelerator, "accelerator, where the artifact does not say it");
  options->timing.add_to(command);
  command.add_flag("--print-config", options->print_config,
                   "print what a timed run would use, each value with its source, as JSON, and stop");
  command
      .add_option("--pmu", options->events,
                  "events for the counters that the NPU has (4, U85 8), names or numbers of 'macaw list events', "
                  "separated by commas")
      .delimiter(',')
      .one_value();
  command.add_flag("--blocks", options->blocks, "report every OFM block of every operation");
  command
      .add_option("--steps", options->steps, "run so many times with the same inputs, variables kept; report the last")
      .positive();
  command.add_option("--max-cycles", options->max_cycles, "end a run that takes longer with an error; per stream")
      .positive();
  command
      .add_option("--max-work", options->max_work,
                  "end a run of more multiply-accumulates, and what counts as them, with an error; default: 2^38")
      .positive();
  command.add_option("--vcd", options->vcd,
                     "write a waveform: what units and ports do, 1 ns in the viewer is one NPU cycle");
  command.add_option("--graph", options->graph,
                     "the network before it was compiled (.tosa, .tflite), to name layers by where no debug database "
                     "does; both are run to recognise tensors");
  command.add_flag("--advise", options->advise,
                   "repeat the run with one bound of the memories lifted at a time, and tell what each would save");
  add_sram_size(command, options->sram_size);
  add_energy(command, options->energy);
  command.add_option(
      "--activity-spans", options->activity_spans,
      "about so many spans of time at work are kept of each unit, short pauses joined (default: 1000; 0: "
      "none)");
  command.add_flag("--force", options->force, "overwrite files");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_option("--debug-db", options->debug_db, "Vela's debug database, if it is not beside the artifact");
  add_findings_option(command, options->findings);
  command.add_flag("--json", options->json, "print the report as JSON");
  command.footer("Example: macaw sim net_vela.npz --input x.npy --output-dir out --mode timed");
  command.callback([options, &exit_code] {
    const auto result = simulate(*options);
    exit_code = result ? static_cast<int>(kOk) : report_error(result.error());
  });
}

}  // namespace macaw::app
