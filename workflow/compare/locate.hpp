#pragma once
#include <macaw/npu/artifact.hpp>

#include "workflow/compare/compare.hpp"
#include "workflow/compare/constant_check.hpp"
#include "workflow/compare/match.hpp"
#include "workflow/compare/register_state.hpp"
#include "workflow/compare/sightings.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace macaw::compare {

/// A command of the stream and the state in which it starts.
struct CommandText {
  std::size_t step = 0;
  std::uint32_t command = 0, offset = 0;
  std::vector<std::string> meaning;     ///< of its registers together
  std::vector<RegisterLine> registers;  ///< all of them, the command last
};

/// The first operator whose result differs.
struct WrongOperator {
  std::optional<std::size_t> index;  ///< in Reference::operators; absent: no operator is known that fits the command
  std::string name;                  ///< "operator 3 (CONV2D)", or what the debug database calls it; may be empty
  std::vector<std::size_t> fused;    ///< operators that the same commands compute after it
  /// Operators of which one is wrong, that one first which is more likely; empty: `name` is sure.
  std::vector<std::string> candidates;
  std::string tensor;  ///< that the commands write; may be empty
  std::int64_t elements = 0, different = 0;
  bool other_size = false;             ///< another number of elements was written
  std::vector<std::int64_t> position;  ///< of the first difference, in the graph's shape
  std::int64_t expected = 0, actual = 0;
  std::string pattern;  ///< of the difference, in words; may be empty
  How how{};
  std::optional<ConstantDifference> constant;  ///< what it holds otherwise than the graph
  std::vector<CommandText> commands;
};

/// A tensor of the graph that was recognised.
struct MatchedTensor {
  TensorId id = 0;
  std::string name;
  How how{};
  std::size_t commands = 0;
  std::int64_t elements = 0, different = 0;
  std::optional<Tensor> actual = {};  ///< what was written, if it differs and has the tensor's size
};

struct UnmatchedTensor {
  TensorId id = 0;
  std::string name, reason;
};

struct Location {
  std::optional<WrongOperator> wrong;
  std::vector<MatchedTensor> matched;
  std::vector<UnmatchedTensor> unmatched;  ///< computed by the graph, not found in what the commands wrote
};

/// What is known of a run of the compiled network.
struct Observed {
  const std::vector<Record>& records;
  const Sightings& sightings;
  const std::vector<OutputComparison>& outputs;  ///< empty: not known
  const std::vector<HostCall>& host_calls;

  [[nodiscard]] bool outputs_equal() const {
    return !outputs.empty() && std::ranges::all_of(outputs, [](const auto& o) { return o.different == 0; });
  }
};

/// Lays what the operations of a run wrote beside the tensors of the graph and looks for the first operator, in the
/// order of the commands, whose result differs although what it reads is right. With equal outputs, or where
/// they are not known, that takes a tensor or constant that is recognised; else the commands that lead to no right
/// tensor are suspected.
[[nodiscard]] Location locate(const Reference& reference, const npu::Artifact& artifact,
                              const npu::Accelerator& accelerator, const Observed& observed,
                              const ConstantCheck& constants);

}  // namespace macaw::compare
