#include <macaw/tosa/index_ranges.hpp>

#include <algorithm>
#include <limits>

#include "reference/tosa/arith/checked.hpp"

namespace macaw::tosa {
namespace {

struct Bounds {
  std::int64_t least = 0, most = 0;
};

/// The part of a range that fits 64-bit integers. The least element of an empty range is greater than its greatest.
IndexRange narrowed(Wide least, Wide most, bool distinct) {
  constexpr Wide kLeast = std::numeric_limits<std::int64_t>::min(), kMost = std::numeric_limits<std::int64_t>::max();
  if (least > kMost || most < kLeast) return {1, 0, distinct};
  return {static_cast<std::int64_t>(std::max(least, kLeast)), static_cast<std::int64_t>(std::min(most, kMost)),
          distinct};
}

/// Least and greatest element of an integer constant.
std::optional<Bounds> constant_bounds(const Value& value) {
  if (!value.data || value.data->size() == 0) return std::nullopt;
  const auto bounds = [](auto elements) {
    const auto [least, most] = std::ranges::minmax(elements);
    return Bounds{static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
  };
  switch (value.dtype) {
    case DType::kINT8: return bounds(value.data->data<std::int8_t>());
    case DType::kINT16: return bounds(value.data->data<std::int16_t>());
    case DType::kINT32: return bounds(value.data->data<std::int32_t>());
    case DType::kINT64: return bounds(value.data->data<std::int64_t>());
    default: return std::nullopt;
  }
}

/// Follows ranges from the results of operators to their operands. Operators with fewer operands than their rules
/// demand are passed over: validation reports them.
class Ranges {
 public:
  explicit Ranges(const Block& block) : block_(block), ranges_(block.values.size()) {}

  void follow(const Operator& op) {
    if (op.inputs.size() < operands_of(op.op)) return;
    switch (op.op) {
      case Op::kGATHER: return pick(op.inputs[0], op.inputs[1], false);
      case Op::kSCATTER: return pick(op.inputs[0], op.inputs[1], true);
      default: break;
    }
    if (op.outputs.empty()) return;
    const auto range = ranges_[op.outputs[0]];
    if (!range) return;
    switch (op.op) {
      case Op::kCONCAT:
        for (const auto input : op.inputs) limit(input, *range);
        return;
      case Op::kMAXIMUM:
      case Op::kMINIMUM: limit(op.inputs[0], *range); return limit(op.inputs[1], *range);
      case Op::kADD: return add(op, *range);
      case Op::kSUB: return subtract(op, *range);
      case Op::kRESHAPE:
      case Op::kIDENTITY:
      case Op::kTRANSPOSE:
      case Op::kREVERSE:
      case Op::kSLICE:
      case Op::kTILE:
      case Op::kPAD:
      case Op::kCAST:
      case Op::kCLAMP: return limit(op.inputs[0], *range);
      default: return;
    }
  }

  [[nodiscard]] const std::optional<IndexRange>& of(ValueId id) const { return ranges_[id]; }

 private:
  /// The number of operands that follow() reads at fixed places.
  static std::size_t operands_of(Op op) {
    switch (op) {
      case Op::kGATHER:
      case Op::kSCATTER:
      case Op::kMAXIMUM:
      case Op::kMINIMUM:
      case Op::kADD:
      case Op::kSUB: return 2;
      case Op::kCONCAT: return 0;
      default: return 1;
    }
  }

  [[nodiscard]] const Value& value(ValueId id) const { return block_.values[id]; }

  void limit(ValueId id, IndexRange range) {
    auto& own = ranges_[id];
    if (!own) {
      own = range;
      return;
    }
    own->least = std::max(own->least, range.least);
    own->most = std::min(own->most, range.most);
    own->distinct |= range.distinct;
  }

  /// Indices of rows; [N,K,C] and [N,W].
  void pick(ValueId rows, ValueId indices, bool distinct) {
    if (!value(rows).is_static() || value(rows).shape->size() != 3) return;
    const auto& shape = value(indices).shape;
    const bool several = shape && shape->size() == 2 && (*shape)[1] != 1;
    limit(indices, {0, (*value(rows).shape)[1] - 1, distinct && several});
  }

  /// The range of the sum less a constant operand.
  void add(const Operator& op, const IndexRange& range) {
    for (const std::size_t i : {0, 1})
      if (const auto other = constant_bounds(value(op.inputs[1 - i])))
        limit(op.inputs[i], narrowed(Wide{range.least} - other->least, Wide{range.most} - other->most, range.distinct));
  }

  void subtract(const Operator& op, const IndexRange& range) {
    if (const auto right = constant_bounds(value(op.inputs[1])))
      limit(op.inputs[0], narrowed(Wide{range.least} + right->most, Wide{range.most} + right->least, range.distinct));
    if (const auto left = constant_bounds(value(op.inputs[0])))
      limit(op.inputs[1], narrowed(Wide{left->most} - range.most, Wide{left->least} - range.least, range.distinct));
  }

  const Block& block_;
  IndexRanges ranges_;  ///< by value
};

}  // namespace

IndexRanges index_ranges(const Graph& graph) {
  IndexRanges inputs(graph.main().inputs.size());
  Ranges ranges(graph.main());
  const auto& operators = graph.main().operators;
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) ranges.follow(*op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& range = ranges.of(graph.main().inputs[i]);
    // Operands that contradict each other have no valid values.
    if (range && range->least <= range->most) inputs[i] = range;
  }
  return inputs;
}

}  // namespace macaw::tosa
