#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "app/command.hpp"
#include "app/energy_option.hpp"
#include "app/output_file.hpp"
#include "app/sram_size.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "workflow/report/forms/comparison.hpp"
#include "workflow/report/forms/forms.hpp"
#include "workflow/report/render.hpp"
#include "workflow/run/record_json.hpp"
#include "workflow/trace/forms/etdump.hpp"
#include "workflow/trace/forms/trace.hpp"

namespace macaw::app {
namespace {

struct ReportOptions {
  std::vector<std::string> reports;
  std::string csv, html, markdown, perfetto, pmu_trace, etdump, speedscope, graph_json, node_data;
  std::optional<std::uint64_t> sram_size;
  std::string energy, fail_above;
  bool pmu_lines = false, json = false, force = false;
};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Vela's name for the table of layers beside a summary: NET_per-layer.csv beside NET.csv.
std::filesystem::path layers_file(const std::filesystem::path& csv) {
  // replace_filename() of libstdc++ 12 crashes when it runs out of memory.
  return csv.parent_path() / (csv.stem().string() + "_per-layer" + csv.extension().string());
}

/// Reads a report.json, or that of a folder.
Result<npu::RunRecord> read_run(const std::string& name) {
  std::error_code missing;
  const auto file =
      std::filesystem::is_directory(name, missing) ? (std::filesystem::path(name) / "report.json").string() : name;
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with('<')) return fail(ErrorCode::kInvalidFile, "an HTML page, not a report.json", {.file = file});
  return run::parse_record(text, file);
}

/// The shortest unique labels: names of files, of their folders, or else the paths.
std::vector<std::string> labels(const std::vector<std::string>& files) {
  using Path = std::filesystem::path;
  for (Path (*part)(const Path&) :
       {+[](const Path& p) { return p.filename(); }, +[](const Path& p) { return p.parent_path().filename(); }}) {
    std::vector<std::string> names;
    for (const auto& file : files) names.push_back(part(file).string());
    const bool differ = std::ranges::all_of(
        names, [&](const auto& name) { return !name.empty() && std::ranges::count(names, name) == 1; });
    if (differ) return names;
  }
  return files;
}

/// The percentage of --fail-above; absent if it was not given.
Result<std::optional<double>> fail_above(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto percent = io::number_of<double>(text);
  if (!percent || !(*percent >= 0) || *percent > 1e9)
    return fail(ErrorCode::kUsage, fmt::format("--fail-above: '{}' is not a percentage of 0 or more", text));
  return percent;
}

/// Compares several runs. Returns false if the last one is slower than --fail-above allows.
Result<bool> compare_runs(const ReportOptions& options) {
  if (!options.csv.empty() || !options.speedscope.empty() || !options.perfetto.empty() || !options.graph_json.empty() ||
      !options.node_data.empty() || !options.pmu_trace.empty() || !options.etdump.empty() || options.pmu_lines ||
      options.sram_size || !options.energy.empty())
    return fail(ErrorCode::kUsage,
                "several reports can be compared with --markdown, --json, --html and --fail-above only");
  MACAW_ASSIGN(const auto most, fail_above(options.fail_above));
  std::vector<report::LabelledRun> runs;
  const auto names = labels(options.reports);
  for (std::size_t i = 0; i < names.size(); ++i) {
    MACAW_ASSIGN(auto run, read_run(options.reports[i]));
    auto summary = report::summarise(run);
    runs.push_back({names[i], std::move(run), std::move(summary)});
  }
  std::vector<std::filesystem::path> files;
  std::vector<std::string> contents;
  if (!options.html.empty()) files.emplace_back(options.html), contents.push_back(report::comparison_html(runs));
  if (!options.markdown.empty())
    files.emplace_back(options.markdown), contents.push_back(report::comparison_markdown(runs));
  MACAW_CHECK(check_outputs(files, options.force));
  io::FileSet set(existing(options.force));
  for (std::size_t i = 0; i < files.size(); ++i) MACAW_CHECK(set.add(files[i], bytes_of(contents[i])));
  MACAW_CHECK(set.publish());
  if (options.json) print_stdout("{}\n", io::json_text(report::comparison_json(runs), 2));
  else if (files.empty()) print_stdout("{}", report::comparison_text(runs));
  for (const auto& file : files) print_written(file);
  const auto slower = report::percent_slower(runs);
  if (!most || slower <= *most) return true;
  print_stderr("macaw: {} takes {:.2f} % longer than {}; --fail-above allows {} %\n", names.back(), slower,
               names.front(), options.fail_above);
  return false;
}

/// Renders one run. Returns false if the network does not fit into --sram-size.
Result<bool> render(const ReportOptions& options) {
  if (options.json || !options.fail_above.empty())
    return fail(ErrorCode::kUsage, "--json and --fail-above require two or more reports");
  MACAW_ASSIGN(const auto run, read_run(options.reports.front()));
  const auto summary = report::summarise(run);
  MACAW_ASSIGN(const auto energy, energy_text(options.energy, run));
  std::vector<std::pair<std::filesystem::path, std::vector<std::byte>>> files;
  if (!options.csv.empty()) {
    files.emplace_back(options.csv, bytes_of(report::render_csv(run, summary)));
    // A device can only receive the summary.
    if (!io::is_written_in_place(options.csv))
      files.emplace_back(layers_file(options.csv), bytes_of(report::render_layers_csv(run)));
  }
  if (!options.html.empty())
    files.emplace_back(options.html, bytes_of(report::render_html(run, summary, options.sram_size)));
  if (!options.markdown.empty()) files.emplace_back(options.markdown, bytes_of(report::render_markdown(run, summary)));
  if (!options.speedscope.empty())
    files.emplace_back(options.speedscope, bytes_of(report::render_speedscope(run, summary)));
  if (!options.graph_json.empty())
    files.emplace_back(options.graph_json, bytes_of(report::render_graph_json(run, summary)));
  if (!options.node_data.empty()) files.emplace_back(options.node_data, bytes_of(report::render_node_data(summary)));
  if (!options.perfetto.empty()) files.emplace_back(options.perfetto, bytes_of(trace::perfetto(run)));
  if (!options.pmu_trace.empty()) files.emplace_back(options.pmu_trace, trace::pmu_trace(run));
  if (!options.etdump.empty()) {
    MACAW_ASSIGN(auto dump, trace::etdump(run, options.reports.front()));
    files.emplace_back(options.etdump, std::move(dump));
  }
  std::vector<std::filesystem::path> names;
  for (const auto& [file, contents] : files) names.emplace_back(file);
  MACAW_CHECK(check_outputs(names, options.force));
  io::FileSet set(existing(options.force));
  for (const auto& [file, contents] : files) MACAW_CHECK(set.add(file, contents));
  MACAW_CHECK(set.publish());
  if (options.pmu_lines) print_stdout("{}", trace::pmu_lines(run));
  else if (files.empty()) print_stdout("{}", report::render_table(run, summary, options.sram_size));
  print_stdout("{}", energy);
  for (const auto& [file, contents] : files) print_written(file);
  return report::fits(summary, options.sram_size);
}

}  // namespace

void add_report(Command app, int& exit_code) {
  auto command = app.add_subcommand("report", "Show a report of macaw sim: table, CSV, web page, traces");
  auto options = std::make_shared<ReportOptions>();
  command
      .add_option("REPORT", options->reports,
                  "report.json of a timed or timing run, or its folder; several are compared layer by layer")
      .required();
  command.add_option(
      "--csv", options->csv,
      "write one row under the column names of Vela's summary, and a row for each layer to FILE_per-layer.csv");
  command.add_option(
      "--html", options->html,
      "write a page: bottlenecks, timeline, graph, layers, roofline, memory; of several reports their comparison");
  command.add_option("--markdown", options->markdown, "write a summary for the page of a CI job or a pull request");
  command.add_flag("--json", options->json, "of several reports: print the comparison as JSON");
  command.add_option("--fail-above", options->fail_above,
                     "of several reports: exit code 1 if the last run takes more than PERCENT % longer than the first");
  command.add_option("--speedscope", options->speedscope,
                     "write a flame graph for speedscope.app: operations by layer");
  command.add_option("--graph-json", options->graph_json, "write the layers as a graph for Model Explorer");
  command.add_option(
      "--node-data", options->node_data,
      "write the cycles of the layers, an overlay for that graph or the source network's in Model Explorer");
  command.add_option("--perfetto", options->perfetto, "write a Chrome trace for ui.perfetto.dev or chrome://tracing");
  command.add_option("--pmu-trace", options->pmu_trace,
                     "write the virtual platform's trace (.json.gz) for ExecuTorch's Model Explorer overlay");
  command.add_option("--etdump", options->etdump,
                     "of a .pte: write when its instructions and the NPU's operations ran, in cycles, for ExecuTorch's "
                     "Inspector");
  command.add_flag("--pmu-lines", options->pmu_lines, "print the counters as ExecuTorch's runner does");
  add_sram_size(command, options->sram_size);
  add_energy(command, options->energy);
  command.add_flag("--force", options->force, "overwrite files");
  command.footer(
      "Without an option for a file, a table is printed.\n"
      "Example: macaw report before.json after.json --markdown comment.md --fail-above 2\n"
      "Example: macaw report out/report.json --html net.html --perfetto net.trace.json");
  command.callback([options, &exit_code] {
    const auto fits = options->reports.size() > 1 ? compare_runs(*options) : render(*options);
    exit_code = !fits ? report_error(fits.error()) : *fits ? int{kOk} : int{kMismatch};
  });
}

}  // namespace macaw::app
