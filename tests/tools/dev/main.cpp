#include "app/run_program.hpp"

namespace macaw::app {

void add_calibrate(Command app, int& exit_code);
void add_check(Command app, int& exit_code);

namespace {

constexpr Subcommand kSubcommands[] = {{"Subcommands", add_check}, {"Subcommands", add_calibrate}};

constexpr Program kProgram = {
    "macaw-dev", "What maintainers of Macaw run beside its tests: a corpus of cases, the calibration of the timing model",
    "Example: macaw-dev check build/corpus/npu -j 2\nHelp for a command: macaw-dev help COMMAND", kSubcommands};

}  // namespace
}  // namespace macaw::app

int main(int argc, char** argv) { return macaw::app::run_program(macaw::app::kProgram, argc, argv); }
