#include <cstdio>
#include <exception>

#include "sim/app/command.hpp"

namespace macaw::app {
namespace {

constexpr AddSubcommand kSubcommands[] = {nullptr};

int run(int argc, char** argv) {
  CLI::App app{"Macaw: Arm Ethos-U simulator and TOSA interpreter", "macaw"};
  app.require_subcommand(1);
  int exit_code = kOk;
  for (const auto add : kSubcommands)
    if (add) add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
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
