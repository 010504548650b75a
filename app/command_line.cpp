#include "app/command_line.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/call_error.hpp"
#include "app/fvp/platform.hpp"
#include "app/help_format.hpp"
#include "app/memory_limit.hpp"
#include "app/output_file.hpp"
#include "app/standard_streams.hpp"
#include "app/version.hpp"
#include "base/text.hpp"

namespace macaw::app {
namespace {

/// The subcommand to run if Macaw is called by the name of one of Arm's programs (a link), so that Arm's test runner
/// can use Macaw. Usage errors have exit codes without another meaning there: 1 and 2 of the model are verdicts, 2 of
/// the verifier is "not compliant".
struct Alias {
  std::string_view program, subcommand;
  int wrong_call;
};
constexpr Alias kAliases[] = {
    {"tosa_reference_model", "tosa", kInvalid}, {"tosa_verify", "verify", 1}, {"infer_shapes", "infer_shapes", kUsage}};
constexpr Alias kPlatform = {"", "fvp", kUsage};

/// Adds the options that every subcommand has.
void add_limits(CLI::App& app) {
  for (auto* command : app.get_subcommands({})) {
    take_bytes(*command->add_option_function<std::uint64_t>(
        "--max-memory", limit_memory,
        "bytes that the run may take (512M, 8G); default: 4G, or 3/4 of the machine's memory if that is less"));
    add_limits(*command);
  }
}

/// Parses the call and runs the subcommand; help and version are printed through the checked standard output.
int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& exit_code, int usage) {
  const auto complain = [&](const std::string& text) {
    std::fprintf(stderr, "%s%s\n", error_mark(), io::readable(text).c_str());
    return usage;
  };
  if (const auto wrong = wrong_command(app, arguments); !wrong.empty()) return complain(wrong);
  const auto given = arguments;
  std::ranges::reverse(arguments);  // in the order that CLI11 expects
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    if (app.exit(e, out, err) != 0) return complain(explain(app, e, given));
    fmt::print("{}", out.str());
    return kOk;
  }
  if (!app.get_subcommands().empty()) return exit_code;
  std::fputs(app.help().c_str(), stderr);
  return kUsage;
}

}  // namespace

int run_command_line(const Program& program, int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto name = std::filesystem::path(argc > 0 ? argv[0] : "").filename().string();
  const auto* alias = std::ranges::find(kAliases, name, &Alias::program);
  const auto platform = fvp::find_arm_program(name);
  if (platform) alias = &kPlatform;
  const bool is_alias = alias != std::end(kAliases);
  if (is_alias) {
    // Like Arm's model, read desc.json in the current folder unless another description is named.
    if (arguments.empty() && alias->subcommand == "tosa") arguments = {"--test_desc", "desc.json"};
    // Arm's -o names a log file, Macaw's an output.
    if (alias->subcommand == "tosa")
      for (auto& word : arguments)
        if (word.starts_with("-o")) word = word == "-o" ? "--logfile" : "--logfile=" + word.substr(2);
    if (platform) {
      mark_errors_as_arm();
      // A task of VS Code ends with an empty word (.vscode/tasks.json of Arm-Examples/CMSIS-Executorch).
      if (!arguments.empty() && arguments.back().empty()) arguments.pop_back();
      arguments.insert(arguments.begin(), {"--npu", std::string(platform->npu), "--platform",
                                           std::string(platform->platform->name), "--terminals"});
    }
    arguments.insert(arguments.begin(), std::string(alias->subcommand));
  }

  set_words_of_call(arguments);
  // "macaw help sim" is "macaw sim --help".
  if (!is_alias && !arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    std::erase_if(arguments, [](const auto& word) { return word.starts_with("-"); });
    arguments.emplace_back("--help");
  }
  CLI::App app{program.description, program.name};
  app.set_version_flag("--version", std::string(kVersion), "print version and commit");
  app.set_help_flag("-h,--help", "print this help");
  // Zero is allowed here so that an unknown subcommand is reported as such, not as missing.
  app.require_subcommand(0, 1);
  app.footer(program.footer);
  app.formatter(std::make_shared<HelpFormatter>());
  int exit_code = kOk;
  for (const auto& subcommand : program.subcommands) {
    subcommand.add(Command(app), exit_code);
    app.get_subcommands({}).back()->group(subcommand.group);
  }
  add_limits(app);
  limit_memory(default_memory_limit());
  const int failure = is_alias ? alias->wrong_call : static_cast<int>(kInvalid);
  int code = failure, cause = 0;
  try {
    code = parse_and_run(app, std::move(arguments), exit_code, is_alias ? failure : static_cast<int>(kUsage));
  } catch (const std::system_error& e) {
    // {fmt} throws this if it cannot print; any other cause is a bug.
    if (std::ferror(stdout) == 0) throw;
    cause = e.code().value();
  }
  return finish_output(code, failure, cause);
}

}  // namespace macaw::app
