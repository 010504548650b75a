#include "app/program_file.hpp"

namespace macaw::app {

Result<ProgramFile> load_program(const std::filesystem::path& file) {
  auto graph = tosa::load_graph_v1(file);
  if (!graph) {
    auto error = graph.error();
    error.message += "; the program of ./dev demo compares with .tosa files of 1.x alone, that of ./dev build with all";
    return tl::unexpected(std::move(error));
  }
  const auto kept = std::make_shared<const tosa::Graph>(*std::move(graph));
  return ProgramFile{kept, *kept};
}

const npu::HostOperators* host_operators() { return nullptr; }

}  // namespace macaw::app
