#include "app/program_file.hpp"

#include <macaw/tflite/network.hpp>

#include <algorithm>

#include "base/c_array.hpp"
#include "base/foreign_format.hpp"

namespace macaw::app {

Result<bool> is_program(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_network_file(file));
  if (!tflite::is_tflite(bytes)) return tosa::parse_graph(bytes, file.string()).has_value();
  const auto network = tflite::parse_network(bytes, file.string());
  return network &&
         std::ranges::none_of(network->main().operators, [](const auto& op) { return op.name == "ethos-u"; });
}

Result<ProgramFile> load_program(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_network_file(file));
  if (tflite::is_tflite(bytes) || file.extension() == ".tflite") {
    MACAW_ASSIGN(auto network, tflite::parse_network(bytes, file.string()));
    const auto kept = std::make_shared<const tflite::Network>(std::move(network));
    return ProgramFile{nullptr, kept, *kept};
  }
  MACAW_ASSIGN(auto graph, io::or_foreign_format(tosa::parse_graph(bytes, file.string()), bytes, file.native()));
  const auto kept = std::make_shared<const tosa::Graph>(std::move(graph));
  return ProgramFile{kept, nullptr, *kept};
}

}  // namespace macaw::app
