#include "workflow/compare/judge/coverage.hpp"

#include <algorithm>

#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {
namespace {

/// The lowest and highest value that a tensor can hold.
std::pair<std::int64_t, std::int64_t> bounds_of(const ReferenceOperator* op, DType dtype) {
  if (op != nullptr && op->bounds) return *op->bounds;
  const auto bits = 8 * size_of(dtype);
  if (dtype == DType::kBOOL) return {0, 1};
  if (dtype == DType::kUINT8 || dtype == DType::kUINT16) return {0, (std::int64_t{1} << bits) - 1};
  if (bits >= 64) return {INT64_MIN, INT64_MAX};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

void look_up(Exercise& exercise, const Reference& reference, const ReferenceOperator& op) {
  const auto& indices = *reference.tensors[op.inputs[0]].value;
  const bool words = indices.dtype() == DType::kINT16;
  exercise.table = words ? 512 : 256;
  for (std::int64_t i = 0; i < indices.size(); ++i) {
    const auto value = integer_at(indices, i);
    exercise.entries.insert(words ? value >> 7 : value);
  }
}

}  // namespace

void Coverage::add(const Reference& reference, const Location& location) {
  for (const auto& match : location.matched) {
    compared.emplace(match.id, match.name);
    not_compared.erase(match.id);
    const auto op = std::ranges::find_if(reference.operators, [&](const ReferenceOperator& o) {
      return std::ranges::find(o.outputs, match.id) != o.outputs.end();
    });
    const auto* producer = op == reference.operators.end() ? nullptr : &*op;
    const auto& value = *reference.tensors[match.id].value;
    if (value.size() == 0) continue;
    const auto [lowest, highest] = bounds_of(producer, value.dtype());
    const auto [it, first] = exercised.try_emplace(match.id);
    auto& exercise = it->second;
    if (first) exercise.lowest = exercise.highest = integer_at(value, 0);
    for (std::int64_t i = 0; i < value.size(); ++i) {
      const auto v = integer_at(value, i);
      exercise.lowest = std::min(exercise.lowest, v);
      exercise.highest = std::max(exercise.highest, v);
    }
    exercise.low = exercise.lowest <= lowest;
    exercise.high = exercise.highest >= highest;
    if (producer != nullptr && producer->kind == "TABLE") look_up(exercise, reference, *producer);
  }
  for (const auto& tensor : location.unmatched)
    if (!compared.contains(tensor.id)) not_compared.emplace(tensor.id, tensor);
}

}  // namespace macaw::compare
