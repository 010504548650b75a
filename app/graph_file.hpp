#pragma once
#include <filesystem>

#include <macaw/tosa/graph.hpp>

namespace macaw::app {

/// tosa::load_graph() on so many threads of a graph that is only needed as long as the program runs: the large
/// constants stay in the file. Should it become shorter meanwhile, the program says so and ends with kInvalid.
[[nodiscard]] Result<tosa::Graph> load_graph_file(const std::filesystem::path& file, int threads,
                                                  const std::string& function = {});

}  // namespace macaw::app
