#include <fmt/format.h>

#include <memory>
#include <span>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "workflow/disasm/disassembly.hpp"

namespace macaw::app {
namespace {

struct DisasmOptions : disasm::Request {
  std::string output;
  bool assemble = false, force = false;
};

Result<void> run(const DisasmOptions& options) {
  if (options.assemble) {
    if (options.output.empty()) return fail(ErrorCode::kUsage, "--assemble needs --output");
    MACAW_ASSIGN(const auto words, disasm::assembled(options));
    MACAW_CHECK(write_output(options.output, std::as_bytes(std::span(words)), options.force));
    print_written(options.output);
    return {};
  }
  MACAW_ASSIGN(const auto text, disasm::disassembled(options));
  if (options.output.empty()) {
    print_stdout("{}", text);
    return {};
  }
  MACAW_CHECK(write_output(options.output, std::as_bytes(std::span(text)), options.force));
  print_written(options.output);
  return {};
}

}  // namespace

void add_disasm(Command app, int& exit_code) {
  auto command = app.add_subcommand("disasm", "Print the command streams of a compiled network, or assemble such text");
  auto options = std::make_shared<DisasmOptions>();
  command.add_option("ARTIFACT", options->file, "compiled network (.npz, .tflite, .pte), or text with --assemble")
      .required();
  command.add_option("-o,--output", options->output, "file to write instead of standard output");
  command.add_option("--stream", options->stream, "this command stream only, counted from 0");
  command.add_option("-a,--accelerator-config", options->accelerator, "accelerator, where the file does not name it");
  command.add_option("--method", options->method, kMethodHelp);
  command.add_option("--debug-db", options->debug_db,
                     "Vela's debug database, if it is not beside the artifact: comments name the operators");
  command.add_flag("--words", options->words, "the file holds nothing but command words");
  command.add_flag("--assemble", options->assemble, "turn the text back into command words");
  command.add_flag("--json", options->json, "print JSON");
  command.add_flag("--force", options->force, "overwrite the file");
  command.footer(
      "Examples: macaw disasm net_vela.tflite\n"
      "          macaw disasm net_vela.npz -o net.s && macaw disasm --assemble net.s -o net.bin\n"
      "          macaw disasm --words net.bin -a ethos-u55-128");
  command.callback([options, &exit_code] {
    const auto done = run(*options);
    exit_code = done ? int{kOk} : report_error(done.error());
  });
}

}  // namespace macaw::app
