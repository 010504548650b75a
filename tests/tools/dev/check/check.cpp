#include <fmt/format.h>

#include <map>
#include <thread>

#include "app/command.hpp"
#include "app/custom_op_option.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "tests/tools/dev/check/runner.hpp"
#include "workflow/report/junit.hpp"

namespace macaw::app {
namespace {

struct CheckOptions {
  std::string folder, junit, mode = "functional";
  std::vector<std::string> filters, custom_op_libs;
  unsigned jobs = 0;
  bool force = false;
  FindingPolicy findings = FindingPolicy::kWarn;
};

int run_check(const CheckOptions& options) {
  using namespace check;
  if (!options.junit.empty())
    if (const auto free = check_output(options.junit, options.force); !free) return report_error(free.error());
  if (const auto loaded = load_custom_ops(options.custom_op_libs); !loaded) return report_error(loaded.error());
  const auto loader = find_loader(options.folder);
  if (!loader) return report_error(loader.error());
  auto loaded = (*loader)(options.folder, {.mode = options.mode == "timed" ? Mode::kTimed : Mode::kFunctional,
                                           .findings = options.findings});
  if (!loaded) return report_error(loaded.error());
  const auto cases = select(std::move(*loaded), options.filters);
  // SystemC allows one simulation per process at a time.
  const auto jobs = options.mode == "timed" ? 1 : options.jobs ? options.jobs : std::thread::hardware_concurrency();
  const auto outcomes = run(cases, jobs);

  std::size_t passed = 0, failed = 0, deviating = 0, agreeing = 0;
  // Passed and failed, by reason and by verdict.
  std::map<std::string, std::pair<std::size_t, std::size_t>> apart, verdicts;
  const auto count = [](auto& counts, const check::Outcome& outcome) {
    ++(outcome.error ? counts.second : counts.first);
  };
  std::vector<report::JunitCase> junit;
  for (const auto& outcome : outcomes) {
    report::JunitCase row{"macaw.check", outcome.name, {}, {}, outcome.seconds};
    if (!outcome.known_deviation.empty()) {
      ++(outcome.error ? deviating : agreeing);
      row.skipped = outcome.known_deviation;
      if (!outcome.error)
        print_stdout("MATCHES {}: equal to its oracle although marked: {}\n", outcome.name, outcome.known_deviation);
    } else if (outcome.error) {
      ++failed;
      row.failure = outcome.error->to_string();
      print_stdout("FAIL {}: {}\n", outcome.name, row.failure);
    } else {
      ++passed;
    }
    if (!outcome.apart.empty()) count(apart[outcome.apart], outcome);
    if (!outcome.verdict.empty()) count(verdicts[outcome.verdict], outcome);
    junit.push_back(std::move(row));
  }
  if (!options.junit.empty())
    if (const auto written =
            io::write_file(options.junit, report::junit_xml({{"macaw-dev check", junit}}), existing(options.force));
        !written)
      return report_error(written.error());
  if (deviating + agreeing > 0)
    print_stdout("{} known deviations: {} differ as stated, {} match their oracle after all\n", deviating + agreeing,
                 deviating, agreeing);
  if (outcomes.empty()) print_stdout("nothing in {} matches the filters\n", options.folder);
  for (const auto& [reason, counts] : apart)
    print_stdout("{}: {} passed, {} failed, counted below as well\n", reason, counts.first, counts.second);
  for (const auto& [verdict, counts] : verdicts)
    print_stdout("verdict {}: {} passed, {} failed\n", verdict, counts.first, counts.second);
  print_stdout("{} passed, {} failed\n", passed, failed);
  return failed == 0 && passed + deviating + agreeing > 0 ? kOk : kMismatch;
}

}  // namespace

void add_check(Command app, int& exit_code) {
  auto command = app.add_subcommand("check", "Run every case of a corpus folder and compare with its expected results");
  auto options = std::make_shared<CheckOptions>();
  command
      .add_option("DIR", options->folder,
                  "folder of cases (docs/TESTING.md), or a measurement file or .bpte (docs/FORMATS.md)")
      .required();
  command
      .add_option("--filter", options->filters,
                  "KEY=VALUE or KEY!=VALUE of the index, or a part of the name; all must hold")
      .one_value();
  command.add_option("--junit", options->junit, "write a JUnit file");
  command.add_flag("--force", options->force, "overwrite the file of --junit");
  command.add_option("-j,--jobs", options->jobs, "threads (default: all cores)");
  add_custom_op_option(command, options->custom_op_libs);
  command.add_option("--mode", options->mode, "how command streams run").one_of({"functional", "timed"});
  add_findings_option(command, options->findings);
  command.footer("Example: macaw-dev check build/corpus/npu --filter accelerator=ethos-u55-128 -j 2");
  command.callback([options, &exit_code] { exit_code = run_check(*options); });
}

}  // namespace macaw::app
