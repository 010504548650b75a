#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ranges>

#include "app/command.hpp"
#include "app/exclusive_options.hpp"
#include "app/fvp/application.hpp"
#include "app/fvp/arm_settings.hpp"
#include "app/fvp/executor.hpp"
#include "app/output_file.hpp"
#include "app/version.hpp"
#include "base/number_text.hpp"

namespace macaw::app {
namespace {

/// Options of Arm's platforms without an effect in Macaw. Those with a reason are ignored with a warning.
struct IgnoredOption {
  const char* names;
  bool has_value;
  const char* reason;
};
constexpr IgnoredOption kIgnoredOptions[] = {{"-Q,--quantum", true, nullptr},
                                             {"-M,--min-sync-latency", true, nullptr},
                                             {"-R,--run", false, nullptr},
                                             {"-K,--keep-console", false, nullptr},
                                             {"-P,--prefix", false, nullptr},
                                             {"-p,--print-port-number", false, nullptr},
                                             {"-V,--v-path", true, "the platform has no virtual streaming interface"},
                                             {"-L,--cadi-log", false, "calls of debuggers are not logged"},
                                             {"-i,--iris-log", false, "calls of debuggers are not logged"},
                                             {"--iris-connect", true, "no debugger can connect"},
                                             {"--iris-port-range", true, "no debugger can connect"},
                                             {"-S,--cadi-server", false, "no debugger can connect"},
                                             {"-I,--iris-server", false, "no debugger can connect"},
                                             {"-A,--iris-allow-remote", false, "no debugger can connect"},
                                             {"--iris-port", true, "no debugger can connect"},
                                             {"-D,--allow-debug-plugin", false, "plug-ins are not loaded"},
                                             {"--plugin,--trace-plugin", true, "plug-ins are not loaded"}};

/// UARTs that have a terminal on Arm's platforms.
constexpr std::size_t kTerminals[] = {0, 1, 2, 5};

struct FvpOptions {
  fvp::Application application;
  std::vector<std::string> images, data, dumps, settings, files, ignored_values;
  std::string platform, timing_adapter = "on", seconds, simulated, cycles, cpu_seconds, list_file;
  bool list = false, quiet = false, terminals = false;
  std::array<std::vector<std::string>, std::size(kIgnoredOptions)> values;
  std::array<bool, std::size(kIgnoredOptions)> flags{};
};

/// A limit of a run; 0, as in Arm's platforms, or empty: none.
Result<void> read_limit(const char* option, const std::string& text, double& limit) {
  if (text.empty()) return {};
  const auto value = io::number_of<double>(text);
  if (!value || !(*value >= 0))
    return fail(ErrorCode::kUsage, fmt::format("{} {}: expected a number, 0 or more", option, text));
  limit = *value;
  return {};
}

Result<void> read_limits(FvpOptions& options) {
  fvp::Limits& limits = options.application.limits;
  MACAW_CHECK(read_limit("--timelimit", options.seconds, limits.seconds));
  MACAW_CHECK(read_limit("--simlimit", options.simulated, limits.simulated));
  MACAW_CHECK(read_limit("--cyclelimit", options.cycles, limits.cycles));
  return read_limit("--cpulimit", options.cpu_seconds, limits.cpu_seconds);
}

/// The NPU's platform, unless one is named.
Result<void> choose_platform(FvpOptions& options) {
  // A test of the family: SSE-320 is the only subsystem with a U85.
  const bool needs_sse320 = options.application.npu.starts_with("ethos-u85");
  const char* const of_npu = needs_sse320 ? "sse-320" : "sse-300";
  options.application.platform = fvp::find_platform(options.platform.empty() ? of_npu : options.platform);
  if (needs_sse320 && options.application.platform->name != "sse-320")
    return fail(ErrorCode::kUsage, fmt::format("--npu {}: Corstone {} does not have it; expected --platform sse-320",
                                               options.application.npu, title(*options.application.platform)));
  return {};
}

/// Parameters of files, then those of -C, which take precedence.
Result<void> read_settings(FvpOptions& options) {
  std::vector<std::string> warnings;
  for (const auto& file : options.files) MACAW_CHECK(fvp::apply_file(options.application, file, warnings));
  for (const auto& text : options.settings) MACAW_CHECK(fvp::apply_setting(options.application, text, warnings));
  for (std::size_t i = 0; i < std::size(kIgnoredOptions); ++i) {
    const auto& [names, has_value, reason] = kIgnoredOptions[i];
    if (reason && (options.flags[i] || !options.values[i].empty()))
      warnings.push_back(fmt::format("{}: ignored, {}", names, reason));
  }
  for (const auto& warning : warnings) print_stderr("Warning: {}\n", warning);
  return {};
}

Result<void> read_images(FvpOptions& options) {
  fvp::Application& application = options.application;
  if (options.images.empty() && options.data.empty())
    return fail(ErrorCode::kUsage, "fvp: missing argument APP; give an ELF file");
  for (const auto& text : options.images) {
    MACAW_ASSIGN(auto image, fvp::read_image(text));
    application.images.push_back(std::move(image));
  }
  for (const auto& text : options.data) {
    MACAW_ASSIGN(const auto placed, fvp::without_cpu(text));
    MACAW_ASSIGN(auto image, fvp::read_raw_image(placed, "--data"));
    application.data.push_back(std::move(image));
  }
  if (application.images.empty()) std::swap(application.images, application.data);
  return {};
}

Result<void> read_outputs(FvpOptions& options) {
  fvp::Application& application = options.application;
  std::vector<std::filesystem::path> outputs;
  for (const auto& text : options.dumps) {
    MACAW_ASSIGN(const auto placed, fvp::without_cpu(text));
    MACAW_ASSIGN(auto dump, fvp::parse_dump(placed));
    outputs.emplace_back(dump.file);
    application.dumps.push_back(std::move(dump));
  }
  if (!application.pmu_trace.empty()) outputs.emplace_back(application.pmu_trace);
  if (!application.instructions.empty()) outputs.emplace_back(application.instructions);
  for (const fvp::Uart& uart : application.uarts)
    if (!uart.log.empty() && !uart.replaces) outputs.emplace_back(uart.log);
  MACAW_CHECK(check_outputs(outputs, application.force));
  for (const fvp::Uart& uart : application.uarts)
    if (!uart.log.empty() && uart.replaces) outputs.emplace_back(uart.log);
  return check_outputs(outputs, true);  // two options that name the same file
}

/// Completes the options before the application runs.
Result<void> complete(FvpOptions& options) {
  if (options.terminals)
    for (const std::size_t uart : kTerminals) options.application.uarts.at(uart).offers_port = true;
  MACAW_CHECK(read_limits(options));
  MACAW_CHECK(read_settings(options));
  MACAW_CHECK(read_outputs(options));
  MACAW_CHECK(read_images(options));
  if (options.timing_adapter != "off") return {};
  if (!options.application.system.empty())
    return fail(ErrorCode::kUsage, cannot_be_used_together("--timing-adapter off", "--system"));
  options.application.system = "ideal";
  return {};
}

/// Names the part of a platform that QEMU's machine lacks.
Error no_cpu(const fvp::Application& application) {
  return {
      ErrorCode::kUnsupported,
      fmt::format("QEMU does not model Corstone {}: its mps3-an547, which runs applications for SSE-300 and SSE-310, "
                  "does not have the memory at 0x12000000 where applications for {} have their code. What runs "
                  "is an ExecuTorch program that semihosting's command line names, as executor_runner -m program.pte "
                  "-i input.bin -o out; or run the network itself: macaw sim NETWORK",
                  title(*application.platform), title(*application.platform)),
      {}};
}

fvp::RunResult run(FvpOptions options) {
  if (const auto completed = complete(options); !completed) return {tl::unexpected(completed.error())};
  const fvp::Application& application = options.application;
  if (application.platform->has_cpu) return fvp::run_application(application);
  if (!application.instructions.empty())
    return {fail(ErrorCode::kUsage,
                 fmt::format("--cpu-instructions: Corstone {} runs without a CPU here", title(*application.platform)))};
  if (fvp::is_executor(application)) return fvp::run_executor(application);
  return {tl::unexpected(no_cpu(application))};
}

Result<int> list(const FvpOptions& options) {
  const std::string text = fvp::list_parameters(options.application);
  if (options.list_file.empty()) print_stdout("{}", text);
  else MACAW_CHECK(write_output(options.list_file, std::as_bytes(std::span(text)), options.application.force));
  return 0;
}

int run_or_list(FvpOptions& options) {
  if (const auto chosen = choose_platform(options); !chosen) return report_error(chosen.error());
  if (options.list) {
    const auto code = list(options);
    return code ? *code : report_error(code.error());
  }
  const auto [code, limit] = run(options);
  const int exit_code = code ? *code : report_error(code.error());
  // An error already says that a run took too long; scripts look for the message of Arm's platform.
  if (!limit.empty() && (code ? !options.quiet : *error_mark() != '\0'))
    print_stdout("Info: Simulation is stopping. Reason: {} has been exceeded.\n", limit);
  return exit_code;
}

/// Scripts read the version of Arm's platforms by patterns such as "Fast Models \\[([0-9.]+)" (cmake/emu/armfvp.cmake
/// of zephyrproject-rtos/zephyr, targets/corstone-300/CMakeLists.txt of Arm's ethos-u-core-platform). By the names of
/// those platforms, the first line has the version whose options Macaw accepts.
std::string version_text() {
  const bool has_arm_name = *error_mark() != '\0';
  return (has_arm_name ? "Fast Models [11.27.42 (Dec  9 2024)] command line, run by Macaw\n" : "") +
         std::string(kVersion);
}

void add_arm_options(Command& command, FvpOptions& options) {
  const std::string heading = "As Arm's platforms";
  command.add_option("-f,--config-file", options.files, "file of parameters, NAME=VALUE in each line; repeatable")
      .one_value()
      .group(heading);
  command.add_option("--simlimit", options.simulated, "seconds of the application's time after which the run ends")
      .group(heading);
  command.add_option("--cyclelimit", options.cycles, "the same in cycles of core_clk.mul").group(heading);
  command.add_option("--cpulimit", options.cpu_seconds, "seconds of computing after which the run ends").group(heading);
  command.add_flag("-l,--list-params", options.list, "print the parameters, in the form of a file for -f")
      .group(heading);
  command.add_option("-o,--output", options.list_file, "file for --list-params").group(heading);
  command.add_flag("-q,--quiet", options.quiet, "do not print which limit ended the run").group(heading);
  for (std::size_t i = 0; i < std::size(kIgnoredOptions); ++i) {
    const auto& [names, has_value, reason] = kIgnoredOptions[i];
    const std::string help = reason ? fmt::format("ignored, with a warning: {}", reason) : "accepted, without effect";
    if (has_value) command.add_option(names, options.values[i], help).one_value().group(heading);
    else command.add_flag(names, options.flags[i], help).group(heading);
  }
}

}  // namespace

void add_fvp(Command app, int& exit_code) {
  auto command = app.add_subcommand(
      "fvp", "Run an application for Corstone SSE-300 or SSE-310, QEMU for the CPU and Macaw for the NPU");
  auto options = std::make_shared<FvpOptions>();
  auto& application = options->application;
  command
      .add_option("APP,-a,--application", options->images,
                  "the application: ELF (.axf), Intel HEX (.hex) or FILE@ADDRESS; -a is repeatable")
      .one_value();
  command
      .add_option("-C,--parameter", options->settings,
                  "NAME=VALUE: a parameter of Arm's virtual platform, such as ethosu.num_macs=256; repeatable")
      .one_value();
  command.add_option("-d,--data", options->data, "bytes of a file in memory; repeatable")
      .one_value()
      .value("FILE@ADDRESS");
  command.add_option("--dump", options->dumps, "write a part of the DDR, N bytes, to a file at the end; repeatable")
      .one_value();
  command.add_option("--npu", application.npu, "the NPU, of 'macaw list accelerators'");
  std::vector<std::string> platforms;
  for (const fvp::Platform& platform : fvp::kPlatforms) platforms.emplace_back(platform.name);
  command.add_option("--platform", options->platform, "the Corstone (default: by NPU)").one_of(platforms);
  command.add_option("--system", application.system,
                     "system configuration: a name of 'macaw list systems' or a .toml file (default: by NPU)");
  command.add_option("--timing-adapter", options->timing_adapter, "off: ideal memory").one_of({"on", "off"});
  command.add_option("-T,--timelimit", options->seconds, "seconds after which the application is ended, an error");
  command.add_option("--uart-log", application.uarts[0].log,
                     "file for what UART 0 prints, which goes to stdout as well");
  command.add_option("--uart-input", application.uarts[0].input, "file that UART 0 receives; -: standard input");
  command.add_flag("--terminals", options->terminals,
                   "open a port of this machine for each of UARTs 0, 1, 2 and 5, from 5000 on, to which a program may "
                   "connect; on by Arm's names");
  command.add_option("--semihosting-folder", application.folder,
                     "the one folder whose files the application may read, write and remove (default: none)");
  command.add_option("--report-dir", application.report_dir,
                     "folder for report.json and report.html of every job, in job_1, job_2, ...");
  command.add_option("--cpu-instructions", application.instructions,
                     ".csv for the number of instructions that the CPU executes before each job, as QEMU counts them "
                     "(-icount)");
  command.add_option("--qemu", application.qemu, "QEMU's program for 32-bit Arm");
  command.add_flag("--stat", application.statistics, "print at the end what the NPU did");
  command.add_flag("--force", application.force, "overwrite files");
  command.add_version("--version", version_text());
  add_arm_options(command, *options);
  command.footer(
      "The exit code is the application's (semihosting), or Macaw's for its own errors. QEMU does not count the CPU's\n"
      "cycles: the CPU's counters do not measure time on this machine; the NPU's counters are Macaw's.\n"
      "Called by the name of a platform of Arm's, FVP_Corstone_SSE-300_Ethos-U55 or VHT_Corstone_SSE-310 (links "
      "beside\n"
      "the program), Macaw is this subcommand. For SSE-315 and SSE-320 it runs the ExecuTorch program that the "
      "runner's\n"
      "command line names.\n"
      "Example: macaw fvp runner.axf --npu ethos-u65-256 --data net_vela.tflite@0x90000000");
  command.callback([options, &exit_code] { exit_code = run_or_list(*options); });
}

}  // namespace macaw::app
