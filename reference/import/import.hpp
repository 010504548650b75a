#pragma once
#include <macaw/tosa/graph.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace macaw::tosa {

/// The importers of the two schemas; `bytes` is 8-byte aligned and holds a graph stamped with `version`.
[[nodiscard]] Result<Graph> import_v0_80(std::span<const std::byte> bytes, const Version& version,
                                         const std::string& name);
[[nodiscard]] Result<Graph> import_v1(std::span<const std::byte> bytes, const Version& version,
                                      const std::string& name);

[[nodiscard]] Result<std::vector<std::byte>> write_v0_80(const Graph& graph, const Version& version);
[[nodiscard]] Result<std::vector<std::byte>> write_v1(const Graph& graph, const Version& version);

}  // namespace macaw::tosa
