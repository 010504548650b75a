#pragma once
#include <macaw/tosa/graph.hpp>

namespace macaw::tosa {

/// parse_graph() of bytes that `owner` keeps alive and that do not change: large constants are views of them wherever a
/// tensor lies in memory as in the file. With no owner, all are copies. Large constants that lie otherwise are unpacked
/// by so many threads; 0: as many as the machine has. `function` is the one of an MLIR text to read; empty: @main, or
/// the only one.
[[nodiscard]] Result<Graph> view_graph(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                       const std::string& name, int threads = 1, const std::string& function = {});

}  // namespace macaw::tosa
