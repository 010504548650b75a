#include "app/program_file.hpp"
#include "base/foreign_format.hpp"

#include <macaw/tflite/network.hpp>

namespace macaw::app {
namespace {

template <class Contents>
ProgramFile keep(Contents contents) {
  const auto kept = std::make_shared<const Contents>(std::move(contents));
  return {kept, *kept};
}

}  // namespace

Result<ProgramFile> load_program(const std::filesystem::path& file) {
  if (file.extension() == ".tflite") {
    MACAW_ASSIGN(auto network, tflite::load_network(file));
    return keep(std::move(network));
  }
  if (const auto format = io::foreign_format({}, file.native()); !format.empty())
    return fail(ErrorCode::kInvalidFile, format, {.file = file.string()});
  MACAW_ASSIGN(auto graph, tosa::load_graph(file));
  return keep(std::move(graph));
}

}  // namespace macaw::app
