#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "app/batch/ports.hpp"
#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/number_text.hpp"
#include "compiler/compile.hpp"
#include "workflow/sweep/database.hpp"
#include "workflow/sweep/run_study.hpp"
#include "workflow/sweep/show.hpp"

namespace macaw::app {
namespace {

struct SweepOptions {
  std::string study, folder, shard, csv, html;
  std::vector<std::string> from;
  unsigned jobs = 1, shards = 16;
  bool resume = false, dry_run = false, force = false;
};

struct Loaded {
  sweep::Study study;
  sweep::Plan plan;
};

Result<Loaded> load(const SweepOptions& options) {
  const std::filesystem::path file = options.study;
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  Loaded loaded;
  MACAW_ASSIGN(loaded.study,
               sweep::parse_study({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string()));
  MACAW_ASSIGN(loaded.plan, sweep::make_plan(loaded.study, file.parent_path()));
  for (const auto& note : loaded.plan.notes) print_stderr("macaw: {}\n", note);
  return loaded;
}

std::optional<std::size_t> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  return io::number_of<std::size_t>(text);
}

/// The rank of this process as reported by the job engine.
Result<sweep::Shard> shard_of_environment() {
  constexpr std::pair<const char*, const char*> kNames[] = {{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"},
                                                            {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                            {"PMI_RANK", "PMI_SIZE"}};
  for (const auto& [index, count] : kNames)
    if (const auto k = number(std::getenv(index)), n = number(std::getenv(count)); k && n && *k < *n)
      return sweep::Shard{*k, *n};
  return fail(ErrorCode::kUsage, "--shard env: neither a Slurm job array nor MPI has started this process");
}

Result<sweep::Shard> shard_of(const std::string& text) {
  if (text.empty()) return sweep::Shard{};
  if (text == "env") return shard_of_environment();
  const auto slash = text.find('/');
  if (slash != text.npos)
    if (const auto k = number(text.substr(0, slash).c_str()), n = number(text.substr(slash + 1).c_str());
        k && n && *k < *n)
      return sweep::Shard{*k, *n};
  return fail(ErrorCode::kUsage, fmt::format("--shard {}: expected K/N with K from 0 to N - 1, or env", text));
}

Result<void> compile(const std::filesystem::path& graph, const npu::Accelerator& accelerator, std::uint64_t fast_memory,
                     const std::filesystem::path& output) {
  MACAW_ASSIGN(const auto loaded, tosa::load_graph(graph));
  MACAW_ASSIGN(const auto compiled, npu::compile(loaded, accelerator, {.fast_memory = fast_memory}));
  return npu::write_compiled(output, compiled);
}

Result<void> print_plan(const SweepOptions& options) {
  MACAW_ASSIGN(const auto loaded, load(options));
  for (const auto& run : loaded.plan.runs) print_stdout("{} {}\n", run.id, run.describe());
  print_stdout("{} runs\n", loaded.plan.runs.size());
  return {};
}

class Progress {
 public:
  void operator()(std::size_t done, std::size_t all, const sweep::Run& run, const std::string& error) const {
    if (!error.empty()) print_stderr("macaw: {}: {}\n", run.describe(), error);
    if (::isatty(STDERR_FILENO) == 0) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const auto left = spent.count() / static_cast<double>(done) * static_cast<double>(all - done);
    fmt::print(stderr, "\r{} of {} runs, {:.0f} s left   {}", done, all, left, done == all ? "\n" : "");
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Whether there were runs and all completed.
Result<bool> run(const SweepOptions& options) {
  if (options.dry_run) {
    MACAW_CHECK(print_plan(options));
    return true;
  }
  MACAW_ASSIGN(const auto shard, shard_of(options.shard));
  MACAW_ASSIGN(const auto loaded, load(options));
  const sweep::RunOptions how{
      .jobs = options.jobs,
      .shard = shard,
      .resume = options.resume,
      .tools = {.compile = compile,
                .read_inputs = [](const auto& set, const auto& artifact) { return read_input_set(set, artifact); }},
      .progress = Progress()};
  MACAW_ASSIGN(const auto totals, sweep::run_study(loaded.study, loaded.plan, options.folder, how));
  if (shard.count == 1) MACAW_CHECK(sweep::write_database(loaded.plan, options.folder));
  print_stdout("{} runs done, {} already present, {} failed\n", totals.done, totals.kept, totals.failed);
  if (shard.count == 1) print_written(std::filesystem::path(options.folder) / "study.sqlite");
  return totals.failed == 0 && !loaded.plan.runs.empty();
}

/// Whether every run of the study has a result that is not an error.
Result<bool> merge(const SweepOptions& options) {
  MACAW_ASSIGN(const auto loaded, load(options));
  MACAW_CHECK(sweep::take_results(loaded.plan, options.from, options.folder));
  MACAW_ASSIGN(const auto failed, sweep::write_database(loaded.plan, options.folder));
  print_written(std::filesystem::path(options.folder) / "study.sqlite");
  if (failed != 0) print_stderr("macaw: {} of {} runs failed or have no result\n", failed, loaded.plan.runs.size());
  return failed == 0 && !loaded.plan.runs.empty();
}

Result<void> show(const SweepOptions& options) {
  MACAW_ASSIGN(const auto database, sweep::read_database(std::filesystem::path(options.folder) / "study.sqlite"));
  std::vector<std::filesystem::path> names;
  for (const auto& file : {options.csv, options.html})
    if (!file.empty()) names.emplace_back(file);
  MACAW_CHECK(check_outputs(names, options.force));
  io::FileSet files(existing(options.force));
  if (!options.csv.empty()) MACAW_CHECK(files.add(options.csv, sweep::show_csv(database)));
  if (!options.html.empty()) MACAW_CHECK(files.add(options.html, sweep::show_html(database)));
  MACAW_CHECK(files.publish());
  for (const auto& file : {options.csv, options.html})
    if (!file.empty()) print_written(file);
  if (options.csv.empty() && options.html.empty()) print_stdout("{}", sweep::show_text(database));
  return {};
}

Result<void> engine(const std::string& name, const SweepOptions& options) {
  MACAW_ASSIGN(const auto text, sweep::engine_text(name, options.study, options.folder, options.shards));
  print_stdout("{}", text);
  return {};
}

void add_study(Command command, SweepOptions& options) {
  command.add_option("STUDY", options.study, "study.toml (docs/FORMATS.md)").required();
  command.add_option("-o,--output-dir", options.folder, "folder of the study's results").required();
}

}  // namespace

void add_sweep(Command app, int& exit_code) {
  auto command = app.add_subcommand("sweep", "Run networks on many configurations, on all cores or a cluster");
  command.require_subcommand();
  command.footer(
      "A study is one file: networks x accelerators x systems x memory modes x parameters x inputs, each run in timing "
      "mode.\n"
      "Example: macaw sweep run study.toml -o out -j 8 && macaw sweep show out");
  auto options = std::make_shared<SweepOptions>();
  const auto act = [&exit_code](const Result<void>& done) { exit_code = done ? int{kOk} : report_error(done.error()); };
  const auto judge = [&exit_code](const Result<bool>& good) {
    exit_code = !good ? report_error(good.error()) : *good ? int{kOk} : int{kMismatch};
  };

  auto plan = command.add_subcommand("plan", "List the runs of a study");
  plan.add_option("STUDY", options->study, "study.toml (docs/FORMATS.md)").required();
  plan.footer("Example: macaw sweep plan study.toml");
  plan.callback([=] { act(print_plan(*options)); });

  auto runs = command.add_subcommand("run", "Run the study, one process for each run; exit code 1 if one failed");
  add_study(runs, *options);
  runs.add_option("-j,--jobs", options->jobs, "runs at a time (default: 1)").in_range(1, 1024);
  runs.add_option("--shard", options->shard,
                  "shard K of N (0-based), or 'env' to read the variables of Slurm or MPI; 'sweep merge' joins shards");
  runs.add_flag("--resume", options->resume, "resume: keep finished runs");
  runs.add_flag("--dry-run", options->dry_run, "list the runs only");
  runs.footer("Example: macaw sweep run study.toml -o out -j 2 --resume");
  runs.callback([=] { judge(run(*options)); });

  auto merged = command.add_subcommand(
      "merge", "Write study.sqlite from the results of all shards; exit code 1 if a run failed or is missing");
  add_study(merged, *options);
  merged.add_option("FROM", options->from, "folders of other shards");
  merged.footer("Example: macaw sweep merge study.toml -o out out-of-shard-1 out-of-shard-2");
  merged.callback([=] { judge(merge(*options)); });

  auto shown = command.add_subcommand("show", "Show a study's results as table, CSV or HTML");
  shown.add_option("DIR", options->folder, "folder of a study's results").required();
  shown.add_option("--csv", options->csv, "write a row for each run");
  shown.add_option("--html", options->html,
                   "write one page: time against MACs, SRAM and bandwidth, what a change saves, layers");
  shown.add_flag("--force", options->force, "overwrite files");
  shown.footer("Example: macaw sweep show out --html study.html");
  shown.callback([=] { act(show(*options)); });

  struct Engine {
    const char *name, *help;
  };
  constexpr Engine kEngines[] = {{"slurm", "Print a script that submits a Slurm job array and the merge behind it"},
                                 {"snakemake", "Print a Snakefile with a rule for a shard and one for the merge"},
                                 {"parallel", "Print a line for GNU parallel"},
                                 {"mpi", "Print a line for mpirun"}};
  for (const auto& [name, help] : kEngines) {
    auto engines = command.add_subcommand(name, help);
    add_study(engines, *options);
    engines.add_option("-n,--shards", options->shards, "processes (default: 16)").in_range(1, 1000000);
    engines.footer(fmt::format("Example: macaw sweep {} study.toml -o out -n 64", name));
    engines.callback([=] { act(engine(name, *options)); });
  }
}

}  // namespace macaw::app
