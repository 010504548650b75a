#include <macaw/tflite/index_ranges.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/tflite/options.hpp"

namespace macaw::tflite {
namespace {

/// Operators whose results are elements of their first operand, or of all of them.
constexpr std::array<std::string_view, 12> kMoves{"RESHAPE",       "CAST",  "EXPAND_DIMS", "SQUEEZE", "SLICE", "STRIDED_SLICE",
                                                  "CONCATENATION", "PACK",  "UNPACK",      "TILE",    "SPLIT", "TRANSPOSE"};

/// Extent of the axis that GATHER picks from; absent where it is not known.
std::optional<std::int64_t> gathered_extent(const OperatorInfo& op, const Shape& values) {
  std::int64_t axis = 0;
  if (op.options)
    if (const auto* options = op.options->value.AsGatherOptions()) axis = options->axis;
  if (axis < 0) axis += std::ssize(values);
  if (axis < 0 || axis >= std::ssize(values)) return std::nullopt;
  return values[static_cast<std::size_t>(axis)];
}

class Ranges {
 public:
  explicit Ranges(const Subgraph& graph) : graph_(graph), ranges_(graph.tensors.size()) {}

  void follow(const OperatorInfo& op) {
    if (op.name == "GATHER" && op.inputs.size() >= 2 && op.inputs[0] >= 0)
      return limit(op.inputs[1], gathered_extent(op, tensor(op.inputs[0]).shape));
    if (op.name == "EMBEDDING_LOOKUP" && op.inputs.size() >= 2 && op.inputs[1] >= 0 &&
        !tensor(op.inputs[1]).shape.empty())
      return limit(op.inputs[0], tensor(op.inputs[1]).shape[0]);
    if (std::ranges::find(kMoves, op.name) == kMoves.end()) return;
    for (const int output : op.outputs) {
      if (output < 0 || !ranges_[static_cast<std::size_t>(output)]) continue;
      const auto extent = ranges_[static_cast<std::size_t>(output)]->most + 1;
      // The operand of SPLIT is its second; those that say where elements go are constants as a rule.
      for (const int input : op.inputs)
        if (input >= 0 && !tensor(input).constant) limit(input, extent);
    }
  }

  [[nodiscard]] const std::optional<IndexRange>& of(int id) const { return ranges_[static_cast<std::size_t>(id)]; }

 private:
  [[nodiscard]] const TensorInfo& tensor(int id) const { return graph_.tensors[static_cast<std::size_t>(id)]; }

  void limit(int id, std::optional<std::int64_t> extent) {
    if (id < 0 || !extent || *extent <= 0) return;
    auto& own = ranges_[static_cast<std::size_t>(id)];
    own = IndexRange{0, own ? std::min(own->most, *extent - 1) : *extent - 1};
  }

  const Subgraph& graph_;
  IndexRanges ranges_;  ///< by tensor
};

}  // namespace

IndexRanges index_ranges(const Network& network) {
  Ranges ranges(network.main());
  const auto& operators = network.main().operators;
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) ranges.follow(*op);
  IndexRanges inputs;
  for (const int id : network.main().inputs) inputs.push_back(ranges.of(id));
  return inputs;
}

}  // namespace macaw::tflite
