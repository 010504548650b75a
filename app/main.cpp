#include "app/run_program.hpp"

namespace macaw::app {

#define MACAW_SUBCOMMAND(group, name) void add_##name(Command app, int& exit_code);
#include "app/subcommands.def"
#undef MACAW_SUBCOMMAND

namespace {

constexpr Subcommand kSubcommands[] = {
#define MACAW_SUBCOMMAND(group, name) {group, add_##name},
#include "app/subcommands.def"
#undef MACAW_SUBCOMMAND
};

constexpr Program kProgram = {"macaw", "Macaw: Arm Ethos-U simulator and TOSA interpreter",
                              "Example: macaw sim net_vela.tflite --input x.npy --output-dir out\n"
                              "Help for a command: macaw help COMMAND\nDocuments: docs/README.md",
                              kSubcommands};

}  // namespace
}  // namespace macaw::app

int main(int argc, char** argv) { return macaw::app::run_program(macaw::app::kProgram, argc, argv); }
