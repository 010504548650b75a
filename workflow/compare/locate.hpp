#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/tosa/graph.hpp>

#include "workflow/compare/match.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace macaw::compare {

/// A command of the stream and what sets it up.
struct CommandText {
  std::size_t step = 0;
  std::uint32_t command = 0, offset = 0;
  std::vector<std::string> lines;
};

/// The first operator whose result differs.
struct WrongOperator {
  std::optional<std::size_t> index;  ///< in the main block; absent: no operator is known that fits the command
  std::string source;                ///< what the debug database calls it
  std::vector<std::size_t> fused;    ///< operators that the same commands compute after it
  std::string tensor;                ///< that the commands write
  std::int64_t elements = 0, different = 0;
  std::vector<std::int64_t>
      position;  ///< of the first difference, in the graph's shape; empty: another size was written
  std::int64_t expected = 0, actual = 0;
  How how{};
  std::vector<CommandText> commands;
};

/// A tensor of the graph that was recognised.
struct MatchedTensor {
  std::string name;
  How how{};
  std::size_t commands = 0;
};

struct Location {
  std::optional<WrongOperator> wrong;
  std::vector<MatchedTensor> matched;
  std::vector<std::string> unmatched;  ///< computed by the graph, not found in what the commands wrote
};

/// What the network is compared with: every tensor, and the operators that make them where a graph is known.
struct Reference {
  tosa::Block block;
  Values values;
};

/// Every tensor that the interpreter computes for inputs in the graph's order.
[[nodiscard]] Result<Reference> reference_of(const tosa::Graph& graph, const std::vector<Tensor>& inputs);
/// Tensors from a folder of NAME.npy, as another program computed them; '/' in a name is '_' in the file's.
[[nodiscard]] Result<Reference> reference_of(const std::filesystem::path& folder);

/// Runs the network once more, keeping what every command writes, and looks for the first operator, in the order of the
/// commands, whose result differs although what it reads is right.
[[nodiscard]] Result<Location> locate(const Reference& reference, const npu::Artifact& artifact,
                                      const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs);

}  // namespace macaw::compare
