#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/command.hpp"

namespace macaw::app {

#define MACAW_SUBCOMMAND(name, in_demo) void add_##name(Command app, int& exit_code);
#include "app/subcommands.def"
#undef MACAW_SUBCOMMAND

namespace {

#ifdef MACAW_DEMO
constexpr bool kDemo = true;
#else
constexpr bool kDemo = false;
#endif

struct Subcommand {
  const char* name;
  AddSubcommand add;  ///< null: not linked into this program
};
constexpr Subcommand kSubcommands[] = {
#define MACAW_SUBCOMMAND(name, in_demo) {#name, kDemo && !in_demo ? nullptr : add_##name},
#include "app/subcommands.def"
#undef MACAW_SUBCOMMAND
};

/// The program of ./dev demo names what it leaves out.
void add_missing(CLI::App& app, const std::string& name, int& exit_code) {
  auto* command = app.add_subcommand(name, "");
  command->group("")->allow_extras()->set_help_flag();
  command->callback([name, &exit_code] {
    exit_code = report_error({ErrorCode::kUnsupported,
                              name + ": not in the program that ./dev demo builds; ./dev build makes all of it",
                              {}});
  });
}

/// The subcommand that stands for a program of Arm's when Macaw is called by that program's name (a link), so that its
/// test runner can drive Macaw. Wrong calls of those exit with 1: 2 has a meaning of its own.
struct Alias {
  std::string_view program, subcommand;
};
constexpr Alias kAliases[] = {{"tosa_reference_model", "tosa"}, {"tosa_verify", "verify"}};

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto name = std::filesystem::path(argc > 0 ? argv[0] : "").filename().string();
  const auto* alias = std::ranges::find(kAliases, name, &Alias::program);
  const bool is_alias = alias != std::end(kAliases);
  if (is_alias) arguments.insert(arguments.begin(), std::string(alias->subcommand));

  CLI::App app{"Macaw: Arm Ethos-U simulator and TOSA interpreter", "macaw"};
  app.set_version_flag("--version", "macaw " MACAW_VERSION);
  // Zero is allowed here so that an unknown subcommand is named instead of called missing.
  app.require_subcommand(0, 1);
  app.footer("Example: macaw sim net_vela.tflite --input x.npy --output-dir out\nMore: macaw SUBCOMMAND --help");
  int exit_code = kOk;
  for (const auto& subcommand : kSubcommands) {
    if (subcommand.add) subcommand.add(Command(app), exit_code);
    else add_missing(app, subcommand.name, exit_code);
  }
  std::ranges::reverse(arguments);  // as CLI11 takes a vector
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : is_alias ? 1 : static_cast<int>(kUsage);
  }
  if (app.get_subcommands().empty()) {
    std::fprintf(stderr, "%s", app.help().c_str());
    return kUsage;
  }
  return exit_code;
}

}  // namespace
}  // namespace macaw::app

int main(int argc, char** argv) {
  try {
    return macaw::app::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "macaw: internal error: %s\n", e.what());
    return macaw::app::kInternal;
  }
}
