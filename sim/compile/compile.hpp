#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npy.hpp>
#include <macaw/tosa/graph.hpp>

#include "sim/compile/network.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace macaw::npu {

/// A network as command words and constants, with the passes' results for those who want to look.
struct Compiled {
  Network network;
  std::vector<std::uint32_t> words;
};

/// Compiles the main block of a TOSA graph for an Ethos-U55 or -U65, one operation after the other, exactly as the
/// specification computes it. Supported: CONV2D and DEPTHWISE_CONV2D with RESCALE to INT8, ADD of two RESCALEd INT8
/// values with RESCALE, AVG_POOL2D, MAX_POOL2D, RESCALE from INT8 to INT8, CLAMP, RESHAPE. Anything else, and what
/// the hardware cannot compute exactly, is kUnsupported and names the operator and the reason; a graph that breaks the
/// specification is kInvalidGraph.
[[nodiscard]] Result<Compiled> compile(const tosa::Graph& graph, const Accelerator& accelerator);

/// What load_artifact() makes of the written file, with the names and types that the file does not hold.
[[nodiscard]] Artifact to_artifact(const Compiled& compiled);

/// The members of the raw .npz that Vela's regor back end writes (functional document 1.4), without the quantisation
/// entries, which are pickles. Shapes of one kind (inputs, outputs) are padded with leading ones to a common rank.
[[nodiscard]] std::map<std::string, NpyArray> to_npz(const Compiled& compiled);

[[nodiscard]] Result<void> write_compiled(const std::filesystem::path& file, const Compiled& compiled);

}  // namespace macaw::npu
