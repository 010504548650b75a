#include "workflow/reduce/reduce.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "base/file.hpp"
#include "workflow/report/progress.hpp"

namespace macaw::app {
namespace {

struct ReduceOptions {
  std::string network, folder;
  unsigned timeout = 60;
  bool force = false;
  reduce::Options reduce;
};

std::atomic<int> interrupted{0};  // number of the signal

/// SIGINT and SIGTERM end the search; the second one ends the program.
class Signals {
 public:
  Signals() {
    for (const int signal : {SIGINT, SIGTERM}) {
      struct sigaction action {};
      action.sa_handler = [](int number) { interrupted = number; };
      action.sa_flags = static_cast<int>(SA_RESETHAND);
      ::sigaction(signal, &action, nullptr);
    }
  }
};

Result<void> write_folder(const ReduceOptions& options, const reduce::Reduction& reduction) {
  MACAW_ASSIGN(const auto written, reduce::output_files(reduction, options.reduce));
  const std::filesystem::path folder(options.folder);
  io::FileSet files(existing(options.force));
  for (const auto& file : written) {
    MACAW_CHECK(check_output(folder / file.name, options.force));
    MACAW_CHECK(files.add(folder / file.name, file.bytes));
  }
  MACAW_CHECK(files.publish());
  print_written(folder);
  return {};
}

Result<void> run(ReduceOptions& options) {
  if (options.reduce.command.find("{}") == std::string::npos)
    return fail(ErrorCode::kUsage, "--check: the command does not read the network; write {} where its file belongs");
  options.reduce.timeout = std::chrono::seconds(options.timeout);
  // Checked before the search, which takes long.
  MACAW_CHECK(io::make_directory(options.folder));
  MACAW_CHECK(check_output(std::filesystem::path(options.folder) / "README.md", options.force));
  const Signals signals;
  options.reduce.stop = [] { return interrupted != 0; };
  const auto reduction = [&] {
    report::Progress progress("reduce", "commands");
    options.reduce.checked = [&] { progress.add(); };
    return reduce::reduce(options.network, options.reduce);
  }();
  if (!reduction) return tl::unexpected(reduction.error());
  const auto& [network, before, after, exit_code, checks, stopped] = *reduction;
  print_stdout("{} of {} operators, {} of {} elements; {} commands were run{}\n", after.operators, before.operators,
               after.elements, before.elements, checks, stopped ? ", then the search was interrupted" : "");
  return write_folder(options, *reduction);
}

}  // namespace

void add_reduce(Command app, int& exit_code) {
  auto command =
      app.add_subcommand("reduce", "Make a network smaller as long as a command fails on it in the same way");
  auto options = std::make_shared<ReduceOptions>();
  command.add_option("NETWORK", options->network, "TOSA graph (.tosa) or TensorFlow Lite network (.tflite)").required();
  command
      .add_option("--check", options->reduce.command,
                  "command for /bin/sh that fails on the network; {} is the network's file, {}.npz a file beside it")
      .required();
  command.add_option("--match", options->reduce.match,
                     "text that the command must print as well, for a failure to count");
  command.add_option("-o,--output", options->folder, "folder for the small network, inputs and README.md").required();
  command.add_option("-j,--jobs", options->reduce.jobs, "commands to run at a time; the result is the same")
      .in_range(1, 256);
  command.add_option("--timeout", options->timeout, "seconds that a command may take").in_range(1, 86400);
  command.add_flag("--force", options->force, "overwrite the files of an earlier run");
  command.footer(
      "A failure is an exit code other than 0; a smaller network must end the command with the same one.\n"
      "Ctrl-C ends the search: the smallest network so far is written, and the exit code is 128 and the signal's "
      "number.\n"
      "Example: macaw reduce net.tosa -o small -j 4 \\\n"
      "  --check 'vela {} --output-dir {}.out && macaw compare {} {}.out/*.npz'");
  command.callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = !done ? report_error(done.error()) : interrupted != 0 ? 128 + interrupted : static_cast<int>(kOk);
  });
}

}  // namespace macaw::app
