#pragma once
#include <filesystem>

#include <macaw/tosa/graph.hpp>

namespace macaw::app {

/// tosa::load_graph() with several threads, for a graph that is needed as long as the program runs: large constants
/// stay in the mapped file. If the file is truncated meanwhile, the program ends with a message and kInvalid.
[[nodiscard]] Result<tosa::Graph> load_graph_file(const std::filesystem::path& file, int threads,
                                                  const std::string& function = {});

}  // namespace macaw::app
