#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include <nlohmann/json.hpp>

#include <macaw/npu/choose_accelerator.hpp>
#include <macaw/npu/external_data.hpp>
#include <macaw/npu/input_fit.hpp>

#include "app/command.hpp"
#include "app/exclusive_options.hpp"
#include "app/input_folder.hpp"
#include "app/input_option.hpp"
#include "app/output_file.hpp"
#include "app/program_file.hpp"
#include "app/range_option.hpp"
#include "app/sequence/compare.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/compare/comparison.hpp"
#include "workflow/compare/networks/networks.hpp"
#include "workflow/reduce/reproducer.hpp"
#include "workflow/report/embedded_html.hpp"
#include "workflow/report/junit.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

struct CompareOptions {
  std::string graph, artifact, method, accelerator, tensors, junit, html, debug_db, reproduce;
  std::vector<std::string> inputs, data, ranges;
  std::string runs = "10";
  std::uint32_t seed = 1;
  bool json = false, matches = false, force = false, outputs_only = false;
  InputFit fit;
  std::string raw;
  SequenceOptions sequence;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 7 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::vector<Tensor>> given_inputs(const CompareOptions& options, const compare::Program& program) {
  MACAW_ASSIGN(auto named, read_named_inputs(options.inputs));
  return order_inputs(std::move(named), program.input_ports(), options.fit);
}

/// Checks of options that do not depend on the files.
Result<void> check_compare_options(const CompareOptions& options) {
  MACAW_CHECK(options.sequence.check());
  if (!options.tensors.empty()) MACAW_CHECK(exclude("--tensors", {{"--sequence", !options.sequence.sets.empty()}}));
  if (options.ranges.empty()) return {};
  return exclude("--range", {{"--input", !options.inputs.empty()},
                             {"--inputs FOLDER", !is_number(options.runs)},
                             {"--tensors", !options.tensors.empty()},
                             {"--sequence", !options.sequence.sets.empty()}});
}

/// Everything that a comparison needs besides inputs.
struct Subject {
  npu::Artifact artifact;
  const npu::Accelerator* accelerator = nullptr;
};

Result<Subject> load_subject(const CompareOptions& options) {
  Subject subject;
  MACAW_ASSIGN(subject.artifact, npu::load_artifact(options.artifact, options.method, options.debug_db,
                                                    {options.data.begin(), options.data.end()}));
  MACAW_ASSIGN(subject.accelerator, npu::choose_accelerator(subject.artifact, options.accelerator));
  return subject;
}

/// Calls a function for each set of inputs of --input, --inputs or --seed.
Result<void> for_all_inputs(const CompareOptions& options, const compare::Program& program,
                            const std::function<Result<void>(std::string, const std::vector<Tensor>&)>& run) {
  if (!options.inputs.empty()) {
    MACAW_ASSIGN(const auto inputs, given_inputs(options, program));
    return run("input files", inputs);
  }
  if (is_number(options.runs)) {
    const auto runs = std::stoul(options.runs);
    if (runs == 0) return fail(ErrorCode::kUsage, "--inputs 0 compares nothing");
    report::Progress progress("compare", "runs", runs);
    for (unsigned long i = 0; i < runs; ++i, progress.add()) {
      const auto seed = options.seed + static_cast<std::uint32_t>(i);
      MACAW_ASSIGN(const auto inputs, program.random_inputs(seed));
      MACAW_CHECK(run(fmt::format("seed {}", seed), inputs));
    }
    return {};
  }
  const FolderOptions folder{.fit = options.fit, .raw = options.raw, .labels = {}};
  MACAW_ASSIGN(const auto sets, input_sets(options.runs, folder));
  if (const auto note = raw_note(sets, program.input_ports(), folder)) print_stderr("macaw: {}\n", *note);
  report::Progress progress("compare", "runs", sets.size());
  for (const auto& set : sets) {
    MACAW_ASSIGN(const auto inputs, read_input_set(set, program.input_ports(), folder));
    MACAW_CHECK(run(set.filename().string(), inputs));
    progress.add();
  }
  return {};
}

/// The wrong operator of the last run as a separate network; empty if it is not known.
Result<std::vector<reduce::OutputFile>> reproducer(const CompareOptions& options, const compare::Program& program,
                                                   const compare::Comparison& comparison,
                                                   const std::vector<Tensor>& inputs) {
  const auto& run = comparison.runs.back();
  const auto& wrong = run.location.wrong;
  if (!wrong || !wrong->index || wrong->candidates.size() > 1) return std::vector<reduce::OutputFile>();
  MACAW_ASSIGN(const auto network, reduce::load_network(options.graph));
  MACAW_ASSIGN(const auto values, program.reference(inputs));
  auto operators = wrong->fused;
  operators.push_back(*wrong->index);
  std::ranges::sort(operators);
  reduce::WrongResult result{std::move(operators), compare::failure_text(comparison, run)};
  const auto picture = std::ranges::find(run.pictures, wrong->tensor, &compare::Picture::tensor);
  if (picture != run.pictures.end()) result.actual = picture->actual;
  return reduce::reproducer_files(*network, values, result);
}

Result<void> compare_program(const CompareOptions& options, const ProgramFile& source,
                             compare::Comparison& comparison) {
  const auto& program = source.program;
  MACAW_ASSIGN(const auto subject, load_subject(options));
  if (!options.sequence.sets.empty()) {
    MACAW_CHECK(exclude("--sequence", {{"--reproduce", !options.reproduce.empty()}}));
    return compare_sequence(
        comparison, {.source = source, .artifact = subject.artifact, .accelerator = *subject.accelerator},
        options.sequence, {.command = "compare", .inputs = options.inputs, .fit = options.fit, .raw = options.raw});
  }
  std::vector<reduce::OutputFile> reproduced;
  MACAW_CHECK(
      for_all_inputs(options, program, [&](std::string name, const std::vector<Tensor>& inputs) -> Result<void> {
        MACAW_CHECK(
            compare::add_run(comparison, program, subject.artifact, *subject.accelerator, std::move(name), inputs));
        if (options.reproduce.empty() || !reproduced.empty() || comparison.equal(comparison.runs.back())) return {};
        MACAW_ASSIGN(reproduced, reproducer(options, program, comparison, inputs));
        return {};
      }));
  MACAW_CHECK(compare::search_counterexample(comparison, program, subject.artifact, *subject.accelerator));
  if (options.reproduce.empty()) return {};
  if (reproduced.empty()) {
    if (!comparison.equal())
      print_stderr("macaw: --reproduce: nothing is written, as no single operator is known to be wrong\n");
    return {};
  }
  for (const auto& file : reproduced)
    MACAW_CHECK(check_output(std::filesystem::path(options.reproduce) / file.name, options.force));
  return reduce::write_reproducer(options.reproduce, reproduced, existing(options.force));
}

/// The comparison of two networks has no page and no other files.
Result<void> check_options_of_networks(const CompareOptions& options) {
  for (const auto& [name, is_given] : std::initializer_list<GivenOption>{{"--html", !options.html.empty()},
                                                                         {"--reproduce", !options.reproduce.empty()},
                                                                         {"--sequence", !options.sequence.sets.empty()},
                                                                         {"--matches", options.matches},
                                                                         {"--debug-db", !options.debug_db.empty()},
                                                                         {"--method", !options.method.empty()},
                                                                         {"--data", !options.data.empty()}})
    if (is_given)
      return fail(ErrorCode::kUsage,
                  fmt::format("{} needs a compiled network, which {} is not", name, options.artifact));
  return {};
}

Result<compare::NetworkComparison> compare_networks(const CompareOptions& options) {
  MACAW_CHECK(check_options_of_networks(options));
  MACAW_ASSIGN(auto first, load_program(options.graph));
  MACAW_ASSIGN(const auto second, load_program(options.artifact));
  MACAW_ASSIGN(auto stated, compare::parse_ranges(options.ranges));
  first.program.state_ranges(std::move(stated));
  compare::NetworkComparison comparison{.first_file = options.graph,
                                        .second_file = options.artifact,
                                        .runs = {},
                                        .tensors = {},
                                        .only_first = {},
                                        .only_second = {},
                                        .outputs_only = options.outputs_only};
  MACAW_CHECK(for_all_inputs(options, first.program, [&](std::string name, const std::vector<Tensor>& inputs) {
    return compare::add_run(comparison, first.program, second.program, std::move(name), inputs);
  }));
  return comparison;
}

Result<int> run_networks(const CompareOptions& options) {
  MACAW_ASSIGN(const auto comparison, compare_networks(options));
  if (!options.junit.empty()) {
    std::vector<report::JunitCase> cases;
    for (const auto& run : comparison.runs)
      cases.push_back({"macaw.compare", run, compare::failure_text(comparison, run), {}, 0});
    io::FileSet files(existing(options.force));
    MACAW_CHECK(files.add(options.junit, report::junit_xml({{"macaw compare", std::move(cases), {}}})));
    MACAW_CHECK(files.publish());
  }
  if (options.json) print_stdout("{}\n", io::json_text(compare::to_json(comparison), 2));
  else print_stdout("{}", compare::to_text(comparison));
  return comparison.equal() ? kOk : kMismatch;
}

/// Compares tensors of another program, in place of a graph: each one that a command of the network is known to write.
Result<void> compare_tensors(const CompareOptions& options, compare::Comparison& comparison) {
  MACAW_ASSIGN(const auto subject, load_subject(options));
  MACAW_ASSIGN(const auto inputs, read_named_inputs(options.inputs));
  MACAW_CHECK(npu::check_inputs(subject.artifact, inputs, options.fit));
  MACAW_ASSIGN(auto reference, compare::reference_of(std::filesystem::path(options.tensors)));
  return compare::add_run(comparison, std::move(reference), subject.artifact, *subject.accelerator, inputs);
}

Result<compare::Comparison> compare_all(const CompareOptions& options) {
  compare::Comparison comparison;
  comparison.outputs_only = options.outputs_only;
  if (!options.tensors.empty()) {
    MACAW_CHECK(compare_tensors(options, comparison));
  } else {
    MACAW_ASSIGN(auto file, load_program(options.graph));
    MACAW_ASSIGN(auto stated, compare::parse_ranges(options.ranges));
    file.program.state_ranges(std::move(stated));
    MACAW_CHECK(compare_program(options, file, comparison));
  }
  return comparison;
}

std::vector<report::JunitCase> junit_cases(const compare::Comparison& comparison) {
  std::vector<report::JunitCase> cases;
  for (const auto& run : comparison.runs)
    cases.push_back({"macaw.compare", run.inputs, compare::failure_text(comparison, run), {}, 0});
  std::string constants;
  if (!comparison.equal())
    for (const auto& difference : comparison.constants.differences)
      constants += compare::to_text(difference, comparison.reference) + "\n";
  cases.push_back({"macaw.compare", "constants", std::move(constants), {}, 0});
  return cases;
}

/// Both files are complete before the first one gets its name.
Result<void> write_results(const CompareOptions& options, const compare::Comparison& comparison) {
  io::FileSet files(existing(options.force));
  if (!options.junit.empty())
    MACAW_CHECK(files.add(options.junit, report::junit_xml({{"macaw compare", junit_cases(comparison),
                                                             compare::coverage_text(comparison)}})));
  if (!options.html.empty()) {
    auto page = compare::page_json(comparison);
    for (const auto& file : {options.tensors.empty() ? options.graph : options.tensors, options.artifact}) {
      const std::filesystem::path path(file);
      page["names"].push_back((path.has_filename() ? path : path.parent_path()).filename().string());
    }
    MACAW_CHECK(files.add(options.html, report::page_with(report::kEqualityPage, page)));
  }
  return files.publish();
}

int run_compare(const CompareOptions& options) {
  if (options.artifact.empty()) return report_error({ErrorCode::kUsage, "compare: missing argument ARTIFACT", {}});
  if (const auto checked = check_compare_options(options); !checked) return report_error(checked.error());
  std::vector<std::filesystem::path> files;
  for (const auto& file : {options.junit, options.html})
    if (!file.empty()) files.emplace_back(file);
  if (const auto free = check_outputs(files, options.force); !free) return report_error(free.error());
  // With an accelerator, the operators of a network that is not compiled run as those that the compiler left to the
  // CPU.
  if (options.tensors.empty() && options.accelerator.empty()) {
    // Where the file cannot be read, the comparison says so behind what is wrong in the call.
    if (const auto is_network = is_program(options.artifact); is_network && *is_network) {
      const auto done = run_networks(options);
      return done ? *done : report_error(done.error());
    }
  }
  const auto comparison = compare_all(options);
  if (!comparison) return report_error(comparison.error());
  if (const auto written = write_results(options, *comparison); !written) return report_error(written.error());
  if (options.json) print_stdout("{}\n", io::json_text(compare::to_json(*comparison), 2));
  else print_stdout("{}", compare::to_text(*comparison, options.matches));
  return comparison->equal() ? kOk : kMismatch;
}

}  // namespace

void add_compare(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "compare",
      "Compare a compiled network with its source graph, or two source networks, and find the first operator that "
      "differs");
  auto options = std::make_shared<CompareOptions>();
  command.add_option("GRAPH", options->graph, "source network: TOSA graph (.tosa) or .tflite; omitted with --tensors")
      .required();
  command.add_option("ARTIFACT", options->artifact,
                     "compiled network: raw npz, Vela tflite or ExecuTorch pte; the only argument with --tensors; or "
                     "another source network, of which every tensor is compared");
  command.add_option("-i,--input", options->inputs, "input as .npy, in the graph's order or by name; repeatable");
  add_fit_options(command, options->fit);
  command
      .add_option("--inputs", options->runs,
                  "without --input: number of runs on random inputs (default: 10), or a folder of inputs: .npy or raw "
                  "files, one a run, or folders of one file an input")
      .value("N|DIR");
  add_raw_option(command, options->raw);
  add_range_option(command, options->ranges);
  add_sequence_options(command, options->sequence);
  command.add_option("--seed,--random-inputs", options->seed, "seed of the first random run");
  command.add_option("--tensors", options->tensors,
                     "folder of NAME.npy, values of tensors for these inputs, in place of the graph");
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, if the artifact does not state it");
  command.add_option("--debug-db", options->debug_db, "Vela's debug database, if it is not beside the artifact");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_option("--data", options->data, kDataHelp).one_value();
  command.add_flag("--outputs-only", options->outputs_only, "judge by the network's outputs alone");
  command.add_flag("--matches", options->matches, "list how each tensor was recognised");
  command.add_flag("--json", options->json, "machine-readable result");
  command.add_option("--junit", options->junit, "write a JUnit file");
  command.add_option("--html", options->html, "write a page with both sides of tensors that differ as pictures");
  command.add_option("--reproduce", options->reproduce,
                     "folder for the first wrong operator alone as a network, with what it reads and its result");
  command.add_flag("--force", options->force, "overwrite the files of --junit, --html and --reproduce");
  command.footer(
      "Example: macaw compare net.tosa net_vela.npz --inputs 10\n"
      "Example: macaw compare --tensors DIR net_vela.npz");
  command.callback([options, &exit_code] {
    if (options->artifact.empty() && !options->tensors.empty()) options->artifact = std::exchange(options->graph, {});
    exit_code = run_compare(*options);
  });
}

}  // namespace macaw::app
