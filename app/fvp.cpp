#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/command.hpp"
#include "app/fvp/application.hpp"
#include "app/fvp/arm_settings.hpp"
#include "app/fvp/executor.hpp"
#include "app/output_file.hpp"
#include "app/version.hpp"

namespace macaw::app {
namespace {

struct FvpOptions {
  fvp::Application application;
  std::vector<std::string> data, dumps, settings;
  std::string timing_adapter = "on";
  std::uint64_t time_limit = 0;
};

/// What is left to do before `application` runs.
Result<void> complete(FvpOptions& options) {
  fvp::Application& application = options.application;
  for (const auto& text : options.settings) MACAW_CHECK(fvp::apply_setting(application, text));
  application.elf = fvp::without_cpu(application.elf);
  if (application.elf.empty()) return fail(ErrorCode::kUsage, "no application; name an ELF file");
  for (const auto& text : options.data) {
    MACAW_ASSIGN(auto placed, fvp::parse_placed_file(fvp::without_cpu(text)));
    application.data.push_back(std::move(placed));
  }
  std::vector<std::filesystem::path> outputs;
  for (const auto& text : options.dumps) {
    MACAW_ASSIGN(auto dump, fvp::parse_dump(fvp::without_cpu(text)));
    outputs.emplace_back(dump.file);
    application.dumps.push_back(std::move(dump));
  }
  if (!application.pmu_trace.empty()) outputs.emplace_back(application.pmu_trace);
  for (const fvp::Uart& uart : application.uarts)
    if (!uart.log.empty() && !uart.replaces) outputs.emplace_back(uart.log);
  MACAW_CHECK(check_outputs(outputs, application.force));
  for (const fvp::Uart& uart : application.uarts)
    if (!uart.log.empty() && uart.replaces) outputs.emplace_back(uart.log);
  MACAW_CHECK(check_outputs(outputs, true));  // two that are one file
  if (options.timing_adapter == "off") {
    if (!application.system.empty())
      return fail(ErrorCode::kUsage, "--timing-adapter off is the system 'ideal'; leave one of the options out");
    application.system = "ideal";
  }
  application.time_limit = static_cast<double>(options.time_limit);
  return {};
}

fvp::RunResult run(FvpOptions options) {
  if (const auto completed = complete(options); !completed) return {tl::unexpected(completed.error()), false};
  const fvp::Application& application = options.application;
  // A test of the family: QEMU models the subsystems that have a U55 or U65, and none that has a U85.
  if (!application.npu.starts_with("ethos-u85")) return fvp::run_application(application);
  if (fvp::is_executor(application)) return fvp::run_executor(application);
  return {fail(ErrorCode::kUnsupported,
               fmt::format("{} is in Corstone SSE-315 and SSE-320, which QEMU does not model; its mps3-an547 is an "
                           "SSE-300 with an Ethos-U55 or U65. What runs here is an ExecuTorch program that "
                           "semihosting's command line names, as executor_runner -m program.pte -i input.bin -o out",
                           application.npu)),
          false};
}

}  // namespace

void add_fvp(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "fvp", "Run a Cortex-M55 application for Corstone SSE-300, QEMU for the CPU and Macaw for the NPU");
  auto options = std::make_shared<FvpOptions>();
  auto& application = options->application;
  command.add_option("APP,-a,--application", application.elf, "the application, an ELF file (.axf)");
  command
      .add_option("-C,--parameter", options->settings,
                  "NAME=VALUE: a parameter of Arm's virtual platform, such as ethosu.num_macs=256; repeatable")
      .one_value();
  command.add_option("--data", options->data, "FILE@ADDRESS: bytes of a file in memory; repeatable").one_value();
  command.add_option("--dump", options->dumps, "FILE@ADDRESS,BYTES: a part of the DDR to a file at the end; repeatable")
      .one_value();
  command.add_option("--npu", application.npu, "the NPU, of 'macaw list accelerators'");
  command.add_option("--system", application.system,
                     "system configuration: a name of 'macaw list systems' or a .toml file (default: by NPU)");
  command.add_option("--timing-adapter", options->timing_adapter, "off: ideal memory").one_of({"on", "off"});
  command.add_option("--timelimit", options->time_limit, "seconds after which the application is ended, an error");
  command.add_option("--uart-log", application.uarts[0].log,
                     "file for what UART 0 prints, which goes to stdout as well");
  command.add_option("--semihosting-folder", application.folder,
                     "the one folder whose files the application may read, write and remove (default: none)");
  command.add_option("--report-dir", application.report_dir,
                     "folder for report.json and report.html of every job, in job_1, job_2, ...");
  command.add_option("--qemu", application.qemu, "QEMU's program for 32-bit Arm");
  command.add_flag("--stat", application.statistics, "print at the end what the NPU did");
  command.add_flag("--force", application.force, "overwrite files");
  command.add_version("--version", kVersion);
  command.footer(
      "The exit code is the application's (semihosting), or Macaw's for its own errors. QEMU does not count the CPU's\n"
      "cycles: what the application measures with the CPU's counters is no time; the NPU's counters are Macaw's.\n"
      "Called FVP_Corstone_SSE-300_Ethos-U55, -U65 or FVP_Corstone_SSE-320 (links beside the program), Macaw is this\n"
      "subcommand. For an Ethos-U85 it runs the ExecuTorch program that the runner's command line names.\n"
      "Example: macaw fvp runner.axf --npu ethos-u65-256 --data net_vela.tflite@0x90000000");
  command.callback([options, &exit_code] {
    const auto [code, timed_out] = run(*options);
    exit_code = code ? *code : report_error(code.error());
    if (timed_out && *error_mark() != '\0')
      print_stdout("Info: Simulation is stopping. Reason: CPU time has been exceeded.\n");
  });
}

}  // namespace macaw::app
