#include "app/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/fvp/platform.hpp"
#include "app/memory_limit.hpp"
#include "app/output_file.hpp"
#include "app/standard_streams.hpp"
#include "app/version.hpp"
#include "base/near_names.hpp"
#include "base/text.hpp"

namespace macaw::app {
namespace {

/// The subcommand that stands for a program of Arm's when Macaw is called by that program's name (a link), so that its
/// test runner can drive Macaw. Wrong calls exit with what has no other meaning there: the model's 1 and 2 are
/// verdicts, 2 of the verifier is "not compliant".
struct Alias {
  std::string_view program, subcommand;
  int wrong_call;
};
constexpr Alias kAliases[] = {
    {"tosa_reference_model", "tosa", kInvalid}, {"tosa_verify", "verify", 1}, {"infer_shapes", "infer_shapes", kUsage}};
constexpr Alias kPlatform = {"", "fvp", kUsage};

/// What every subcommand takes.
void add_limits(CLI::App& app) {
  for (auto* command : app.get_subcommands({})) {
    take_bytes(*command->add_option_function<std::uint64_t>(
        "--max-memory", limit_memory,
        "bytes that the run may take (512M, 8G); default: 4G, or 3/4 of the machine's memory if that is less"));
    add_limits(*command);
  }
}

std::vector<std::string> names_of(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const auto* command : commands)
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

/// What is wrong with the words of a call that name subcommands; empty: nothing. CLI11 says of them that they were not
/// expected, or that one is missing.
std::string wrong_word(CLI::App& app, const std::vector<std::string>& arguments) {
  auto* command = &app;
  std::string call = app.get_name();
  for (const auto& word : arguments) {
    const auto commands = command->get_subcommands({});
    if (commands.empty() || word.starts_with("-")) break;
    const auto found = std::ranges::find(commands, word, [](const CLI::App* c) { return c->get_name(); });
    if (found == commands.end())
      return call + ": there is no '" + word + "'" + io::near_names(word, names_of(commands));
    command = *found;
    call += " " + word;
  }
  const bool has_options = std::ranges::any_of(arguments, [](const auto& a) { return a.starts_with("-"); });
  if (command == &app || has_options || command->get_require_subcommand_min() == 0) return {};
  std::string words;
  for (const auto& name : names_of(command->get_subcommands({}))) words += (words.empty() ? "" : ", ") + name;
  return call + ": say which: " + words;
}

/// The words that no option took, in the order of the call. CLI11 has them by subcommand and back to front.
std::vector<std::string> not_expected(const CLI::App& app, const std::vector<std::string>& arguments) {
  const auto remaining = app.remaining(true);
  std::multiset<std::string> left(remaining.begin(), remaining.end());
  std::vector<std::string> words;
  for (const auto& word : arguments)
    if (const auto found = left.find(word); found != left.end() && word != "--")
      words.push_back(left.extract(found).value());
  return words;
}

/// Parses the call and runs what it names; help and versions go through the one standard output that is checked.
int parse_and_run(CLI::App& app, std::vector<std::string> arguments, const int& exit_code, int usage) {
  if (const auto wrong = wrong_word(app, arguments); !wrong.empty()) {
    std::fprintf(stderr, "%s%s\n%s --help lists the subcommands\n", error_mark(), io::readable(wrong).c_str(),
                 app.get_name().c_str());
    return usage;
  }
  const auto given = arguments;
  std::ranges::reverse(arguments);  // as CLI11 takes a vector
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ExtrasError&) {
    std::fputs(io::readable(fmt::format("{}not expected: {}\nRun with --help for more information.\n", error_mark(),
                                        fmt::join(not_expected(app, given), " ")))
                   .c_str(),
               stderr);
    return usage;
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    const bool good = app.exit(e, out, err) == 0;
    fmt::print("{}", out.str());
    if (!good) std::fputs(error_mark(), stderr);
    std::fputs(io::readable(err.str()).c_str(), stderr);
    return good ? static_cast<int>(kOk) : usage;
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
    // As Arm's model: its test description is desc.json where it is called, unless another one is named.
    if (arguments.empty() && alias->subcommand == "tosa") arguments = {"--test_desc", "desc.json"};
    if (platform) {
      mark_errors_as_arm();
      arguments.insert(arguments.begin(),
                       {"--npu", std::string(platform->npu), "--platform", std::string(platform->platform->name)});
    }
    arguments.insert(arguments.begin(), std::string(alias->subcommand));
  }

  set_words_of_call(arguments);
  CLI::App app{program.description, program.name};
  app.set_version_flag("--version", std::string(kVersion));
  // Zero is allowed here so that an unknown subcommand is named instead of called missing.
  app.require_subcommand(0, 1);
  app.footer(program.footer);
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
    // What {fmt} throws when it cannot print; anything else is a bug.
    if (std::ferror(stdout) == 0) throw;
    cause = e.code().value();
  }
  return finish_output(code, failure, cause);
}

}  // namespace macaw::app
