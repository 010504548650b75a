#include "app/program_file.hpp"

#include <macaw/tflite/network.hpp>

#include "base/foreign_format.hpp"

namespace macaw::app {
Result<ProgramFile> load_program(const std::filesystem::path& file) {
  if (file.extension() == ".tflite") {
    MACAW_ASSIGN(auto network, tflite::load_network(file));
    const auto kept = std::make_shared<const tflite::Network>(std::move(network));
    return ProgramFile{nullptr, kept, *kept};
  }
  if (const auto format = io::foreign_format({}, file.native()); !format.empty())
    return fail(ErrorCode::kInvalidFile, format, {.file = file.string()});
  MACAW_ASSIGN(auto graph, tosa::load_graph(file));
  const auto kept = std::make_shared<const tosa::Graph>(std::move(graph));
  return ProgramFile{kept, nullptr, *kept};
}

}  // namespace macaw::app
