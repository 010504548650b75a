#include <macaw/tflite/index_ranges.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/tflite/options.hpp"

namespace macaw::tflite {
namespace {

/// The operands of operators whose results are elements of them.
struct Moved {
  std::string_view name;
  std::size_t first, count;  ///< of the operands; kAll: those up to the last
};
constexpr std::size_t kAll = SIZE_MAX;
constexpr std::array<Moved, 18> kMoved{{
    {"RESHAPE", 0, 1},
    {"CAST", 0, 1},
    {"EXPAND_DIMS", 0, 1},
    {"SQUEEZE", 0, 1},
    {"SLICE", 0, 1},
    {"STRIDED_SLICE", 0, 1},
    {"CONCATENATION", 0, kAll},
    {"PACK", 0, kAll},
    {"UNPACK", 0, 1},
    {"TILE", 0, 1},
    {"SPLIT", 1, 1},
    {"SPLIT_V", 0, 1},
    {"TRANSPOSE", 0, 1},
    {"REVERSE_V2", 0, 1},
    {"BROADCAST_TO", 0, 1},
    {"GATHER", 0, 1},
    {"GATHER_ND", 0, 1},
    {"EMBEDDING_LOOKUP", 1, 1},
}};

/// Extent of the axis that GATHER picks from; absent where it is not known.
std::optional<std::int64_t> gathered_extent(const OperatorInfo& op, const Shape& values) {
  std::int64_t axis = 0;
  if (op.options)
    if (const auto* options = op.options->value.AsGatherOptions()) axis = options->axis;
  if (axis < 0) axis += std::ssize(values);
  if (axis < 0 || axis >= std::ssize(values)) return std::nullopt;
  return values[static_cast<std::size_t>(axis)];
}

/// Returns the least extent of the axes that GATHER_ND and SCATTER_ND index: the last axis of the indices has one
/// position for each of them.
std::optional<std::int64_t> least_extent(const Shape& values, const Shape& indices) {
  if (indices.empty() || indices.back() < 1 || indices.back() > std::ssize(values)) return std::nullopt;
  return *std::min_element(values.begin(), values.begin() + indices.back());
}

class Ranges {
 public:
  explicit Ranges(const Subgraph& graph) : graph_(graph), ranges_(graph.tensors.size()) {}

  void follow(const OperatorInfo& op) {
    limit_indices(op);
    const auto moved = std::ranges::find(kMoved, op.name, &Moved::name);
    if (moved == kMoved.end() || moved->first >= op.inputs.size()) return;
    const auto operands = std::span(op.inputs).subspan(moved->first);
    for (const int output : op.outputs) {
      if (output < 0 || !ranges_[static_cast<std::size_t>(output)]) continue;
      const auto extent = ranges_[static_cast<std::size_t>(output)]->most + 1;
      for (const int input : operands.first(std::min(moved->count, operands.size()))) limit(input, extent);
    }
  }

  [[nodiscard]] const std::optional<IndexRange>& of(int id) const { return ranges_[static_cast<std::size_t>(id)]; }

 private:
  /// Limits the operand that picks elements, by the shape of the tensor that they are elements of.
  void limit_indices(const OperatorInfo& op) {
    const auto operand = [&](std::size_t i) { return i < op.inputs.size() ? op.inputs[i] : -1; };
    if (op.name == "GATHER" && operand(0) >= 0) limit(operand(1), gathered_extent(op, tensor(operand(0)).shape));
    if (op.name == "EMBEDDING_LOOKUP" && operand(1) >= 0 && !tensor(operand(1)).shape.empty())
      limit(operand(0), tensor(operand(1)).shape[0]);
    if (op.name == "GATHER_ND" && operand(0) >= 0 && operand(1) >= 0)
      limit(operand(1), least_extent(tensor(operand(0)).shape, tensor(operand(1)).shape));
    if (op.name == "SCATTER_ND" && operand(0) >= 0 && !op.outputs.empty() && op.outputs[0] >= 0)
      limit(operand(0), least_extent(tensor(op.outputs[0]).shape, tensor(operand(0)).shape));
  }

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
