#pragma once
#include <macaw/tosa/graph.hpp>

#include <filesystem>

namespace macaw::tosa {

/// Reads a graph in the JSON that flatc writes, with the flatbuffer schema it was written by (.fbs; files that it
/// includes are looked for beside it). kUsage without a schema, kInvalidFile if either cannot be parsed.
[[nodiscard]] Result<Graph> load_json_graph(const std::filesystem::path& file, const std::filesystem::path& schema);

}  // namespace macaw::tosa
