#include "app/program_file.hpp"
#include "base/c_array.hpp"
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
  MACAW_ASSIGN(const auto bytes, io::read_network_file(file));
  if (tflite::is_tflite(bytes) || file.extension() == ".tflite") {
    MACAW_ASSIGN(auto network, tflite::parse_network(bytes, file.string()));
    return keep(std::move(network));
  }
  MACAW_ASSIGN(auto graph, io::or_foreign_format(tosa::parse_graph(bytes, file.string()), bytes, file.native()));
  return keep(std::move(graph));
}

}  // namespace macaw::app
