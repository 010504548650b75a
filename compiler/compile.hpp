#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npy.hpp>
#include <macaw/tosa/graph.hpp>

#include "compiler/network.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace macaw::npu {

/// A network as command words and constants, with the results of the passes for inspection.
struct Compiled {
  Network network;
  std::vector<std::uint32_t> words;
  std::vector<CommandList::Operation> operations;  ///< which operator each operation of the stream belongs to
};

struct CompileOptions {
  /// Bytes of the fast scratch (region 2), memory that is faster than that of the arena; 0: there is none. Feature maps
  /// that do not fit stay in the arena.
  std::uint64_t fast_memory = 0;
};

/// Compiles the main block of a TOSA graph, one operator after the other, with exactly the results that the
/// specification defines. Errors: kUnsupported names an unsupported operator and the reason; kInvalidGraph for a graph
/// that violates the specification.
[[nodiscard]] Result<Compiled> compile(const tosa::Graph& graph, const Accelerator& accelerator,
                                       const CompileOptions& options = {});

/// Equals load_artifact() of the written file, plus the names and types that the file lacks.
[[nodiscard]] Artifact to_artifact(const Compiled& compiled);

/// Contents of the arena before the first run, up to the end of the last variable that does not start at zero.
[[nodiscard]] std::vector<std::uint8_t> initial_arena(const Network& network);

/// Returns which operator each operation of the stream belongs to and where values are placed, in the format of Vela's
/// debug database (vela DEBUG_DB.md): XML with tables source, optimised, perf, cmdstream, queue and tensors. Operators
/// that are fused into the operations of others are in `source` only.
[[nodiscard]] std::string debug_database(const Compiled& compiled);

/// Returns the members of the raw .npz that Vela's regor back end writes (u55_u65 1.4), without the quantisation
/// entries, which are pickles, and with debug_database() as the member of that name. Shapes of one kind (inputs,
/// outputs) are padded with leading ones to a common rank.
[[nodiscard]] std::map<std::string, NpyArray> to_npz(const Compiled& compiled);

[[nodiscard]] Result<void> write_compiled(const std::filesystem::path& file, const Compiled& compiled);

}  // namespace macaw::npu
