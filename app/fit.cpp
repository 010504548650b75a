#include <fmt/format.h>

#include <macaw/error_context.hpp>

#include <memory>
#include <optional>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/timing_options.hpp"
#include "workflow/board/board_runs.hpp"
#include "workflow/board/board_system.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

struct FitOptions {
  std::string runs, output, clock;
  bool force = false, json = false;
};

Result<void> fit(const FitOptions& options) {
  MACAW_ASSIGN(auto cells, board::load_board_runs(options.runs));
  std::optional<double> clock_hz;
  if (!options.clock.empty()) {
    MACAW_ASSIGN(clock_hz, parse_clock(options.clock));
  }
  if (!options.output.empty()) MACAW_CHECK(check_output(options.output, options.force));
  std::optional<report::Progress> progress(std::in_place, "fit", "runs");
  calibrate::Evaluator evaluator([&progress] { progress->add(); });
  MACAW_ASSIGN(const auto fitted, board::fit_memory(evaluator, cells).map_error(at({.file = options.runs})));
  progress.reset();
  print_stdout("{}", options.json ? board::to_json(fitted) : board::to_text(fitted));
  if (options.output.empty()) return {};
  MACAW_ASSIGN(const auto toml,
               board::to_toml(fitted, clock_hz, std::filesystem::path(options.runs).filename().string()));
  MACAW_CHECK(write_output(options.output, std::as_bytes(std::span(toml)), options.force));
  if (!options.json) print_written(options.output);
  return {};
}

}  // namespace

void add_fit(Command app, int& exit_code) {
  auto command = app.add_subcommand("fit", "Fit a memory model to cycle counts measured on a board");
  auto options = std::make_shared<FitOptions>();
  command.add_option("RUNS", options->runs, "runs, as 'macaw microbench' prepares them (docs/FORMATS.md, Boards)")
      .required();
  command.add_option("-o,--output", options->output, "system file to write (.toml), for --system");
  command.add_option("--clock", options->clock,
                     "clock of the NPU, in Hz or as 500MHz (default: that of the accelerator's default system)");
  command.add_flag("--json", options->json, "print JSON");
  command.add_flag("--force", options->force, "overwrite the file");
  command.footer(
      "Finds latency, bandwidth and limits behind both ports, each with a 90 % interval. Properties that the runs\n"
      "do not determine are listed with the run to add. Takes some minutes.\n"
      "Example: macaw fit bench/board.csv -o board.toml && macaw sim net_vela.tflite --system board.toml");
  command.callback([options, &exit_code] {
    const auto done = fit(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });
}

}  // namespace macaw::app
