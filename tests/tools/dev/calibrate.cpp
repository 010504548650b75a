#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/command.hpp"
#include "workflow/calibrate/intervals.hpp"
#include "workflow/calibrate/table.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

struct CalibrateOptions {
  std::string file;
  bool check = false, markdown = false, error_bars = false, intervals = false;
};

Result<bool> calibrate(const CalibrateOptions& options) {
  MACAW_ASSIGN(const auto measurements, calibrate::load_measurements(options.file));
  std::optional<report::Progress> progress(std::in_place, "calibrate", "runs");
  calibrate::Evaluator evaluator([&progress] { progress->add(); });
  if (!options.check) {
    MACAW_ASSIGN(const auto fits, calibrate::fit(evaluator, measurements.cells));
    print_stdout("{}\nWith the values of params.def:\n", calibrate::to_text(fits));
  }
  MACAW_ASSIGN(const auto outcomes, calibrate::run_all(evaluator, measurements.cells));
  progress.reset();
  if (options.error_bars) print_stdout("{}", calibrate::error_bar_rows(outcomes));
  else if (options.intervals) print_stdout("{}", calibrate::interval_rows(outcomes));
  else if (options.markdown)
    print_stdout("{}\n{}", calibrate::to_markdown(outcomes, measurements.left_out),
                 calibrate::coverage_tables(outcomes));
  else print_stdout("{}\n{}", calibrate::to_text(outcomes, measurements.left_out), calibrate::coverage_tables(outcomes));
  return std::ranges::all_of(outcomes, [](const auto& outcome) { return outcome.wrong.empty(); });
}

}  // namespace

void add_calibrate(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "calibrate", "Compare cycles and counters with measurements, and fit the free constants of the timing model");
  auto options = std::make_shared<CalibrateOptions>();
  command.add_option("FILE", options->file, "measurements (docs/FORMATS.md)").required();
  command.add_flag("--check", options->check, "fit nothing, print the errors only");
  command.add_flag("--markdown", options->markdown, "print the timing chapter of docs/ACCURACY.md");
  command.add_flag("--error-bars", options->error_bars, "print the rows of sim/config/error_bars.def");
  command.add_flag("--intervals", options->intervals, "print the rows of sim/config/intervals.def");
  command.footer(
      "Example: macaw-dev calibrate measured.json --check\nFits on the measurements of the set 'fit' only and changes "
      "no "
      "file: the values that it prints go into params.def.");
  command.callback([options, &exit_code] {
    const auto result = calibrate(*options);
    exit_code = !result ? report_error(result.error()) : static_cast<int>(*result ? kOk : kMismatch);
  });
}

}  // namespace macaw::app
