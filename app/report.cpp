#include <fmt/format.h>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "workflow/report/render.hpp"
#include "workflow/trace/trace.hpp"

namespace macaw::app {
namespace {

struct Options {
  std::string report, csv, html, perfetto, pmu_trace;
  bool pmu_lines = false, force = false;
};

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Result<void> render(const Options& options) {
  MACAW_ASSIGN(const auto bytes, io::read_file(options.report));
  MACAW_ASSIGN(const auto run,
               trace::parse_saved_run({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, options.report));
  std::vector<std::pair<std::string, std::vector<std::byte>>> files;
  if (!options.csv.empty()) files.emplace_back(options.csv, bytes_of(report::render_csv(run)));
  if (!options.html.empty()) files.emplace_back(options.html, bytes_of(report::render_html(run)));
  if (!options.perfetto.empty()) files.emplace_back(options.perfetto, bytes_of(trace::perfetto(run)));
  if (!options.pmu_trace.empty()) files.emplace_back(options.pmu_trace, trace::pmu_trace(run));
  for (const auto& [file, contents] : files) MACAW_CHECK(check_output(file, options.force));
  io::FileSet set;
  for (const auto& [file, contents] : files) MACAW_CHECK(set.add(file, contents));
  MACAW_CHECK(set.publish());
  if (options.pmu_lines) fmt::print("{}", trace::pmu_lines(run));
  else if (files.empty()) fmt::print("{}", io::valid_utf8(report::render_table(run)));
  return {};
}

}  // namespace

void add_report(Command app, int& exit_code) {
  auto command = app.add_subcommand("report", "Show a report of macaw sim: table, CSV, web page, traces");
  auto options = std::make_shared<Options>();
  command.add_option("REPORT", options->report, "report.json of a timed or timing run").required();
  command.add_option("--csv", options->csv, "one row under the column names of Vela's summary");
  command.add_option("--html", options->html, "one page: timeline, roofline, operations, memory map, counters");
  command.add_option("--perfetto", options->perfetto, "Chrome trace, for ui.perfetto.dev or chrome://tracing");
  command.add_option("--pmu-trace", options->pmu_trace,
                     "the virtual platform's trace (.json.gz), for ExecuTorch's Model Explorer overlay");
  command.add_flag("--pmu-lines", options->pmu_lines, "print the counters as ExecuTorch's runner does");
  command.add_flag("--force", options->force, "overwrite files");
  command.footer(
      "Without an option for a file, a table is printed.\n"
      "Example: macaw report out/report.json --html net.html --perfetto net.trace.json");
  command.callback([options, &exit_code] {
    const auto done = render(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });
}

}  // namespace macaw::app
