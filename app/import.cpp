#include <memory>

#include <macaw/tflite/to_tosa.hpp>

#include "app/command.hpp"
#include "app/output_file.hpp"

namespace macaw::app {
namespace {

struct ImportOptions {
  std::string network, output;
  bool force = false;
};

Result<void> import_network(const ImportOptions& options) {
  MACAW_ASSIGN(const auto network, tflite::load_network(options.network));
  MACAW_ASSIGN(const auto graph, tflite::to_tosa(network, tflite::Floats::kRounded));
  MACAW_ASSIGN(const auto bytes, tosa::write_graph(graph, graph.version));
  MACAW_CHECK(write_output(options.output, bytes, options.force));
  print_written(options.output);
  return {};
}

}  // namespace

void add_import(Command app, int& exit_code) {
  auto command = app.add_subcommand("import", "Write a TensorFlow Lite network as a TOSA graph");
  auto options = std::make_shared<ImportOptions>();
  command.add_option("NETWORK", options->network, "network as .tflite, without NPU operators").required();
  command.add_option("-o,--output", options->output, "file to write (.tosa)").required();
  command.add_flag("--force", options->force, "overwrite the file");
  command.footer(
      "The graph gives what 'macaw tflite' gives: integers element by element, floats within rounding. Inputs and\n"
      "outputs of uint8 are INT8 of the same bytes. What has no form in TOSA is an error that names operator, index\n"
      "and reason.\n"
      "Example: macaw import net.tflite -o net.tosa");
  command.callback([options, &exit_code] {
    const auto done = import_network(*options);
    exit_code = done ? static_cast<int>(kOk) : report_error(done.error());
  });
}

}  // namespace macaw::app
