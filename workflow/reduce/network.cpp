#include "workflow/reduce/network.hpp"

#include <filesystem>
#include <utility>

#include <macaw/tflite/network.hpp>
#include <macaw/tosa/graph.hpp>

#include "base/file.hpp"
#include "workflow/reduce/tflite_network.hpp"
#include "workflow/reduce/tosa_network.hpp"

namespace macaw::reduce {

Result<NetworkPtr> load_network(const std::string& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  if (tflite::is_tflite(bytes) || std::filesystem::path(file).extension() == ".tflite")
    return make_network(bytes, file);
  MACAW_ASSIGN(auto graph, tosa::load_graph(file));
  return make_network(std::move(graph));
}

}  // namespace macaw::reduce
