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
  const auto producers = reference.producers();
  for (const auto& match : location.matched) {
    compared.emplace(match.id, match.name);
    not_compared.erase(match.id);
    const auto op = producers[match.id];
    const auto* producer = op ? &reference.operators[*op] : nullptr;
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
  add_operators(reference, location);
}

void Coverage::add_operators(const Reference& reference, const Location& location) {
  std::map<TensorId, OperatorCoverage> tensors;
  for (const auto& match : location.matched) tensors[match.id] = OperatorCoverage::kCompared;
  for (const auto& tensor : location.unmatched)
    tensors[tensor.id] = tensor.reason == kLeftToCpu        ? OperatorCoverage::kLeftToCpu
                         : tensor.reason == kComputedInside ? OperatorCoverage::kFused
                                                            : OperatorCoverage::kNotFound;
  for (std::size_t i = 0; i < reference.operators.size(); ++i) {
    const auto& outputs = reference.operators[i].outputs;
    if (std::ranges::all_of(outputs, [&](TensorId t) { return reference.tensors[t].constant; })) continue;
    auto best = OperatorCoverage::kNotFound;
    for (const auto output : outputs)
      if (const auto found = tensors.find(output); found != tensors.end()) best = std::max(best, found->second);
    auto& known = operators.try_emplace(i, best).first->second;
    known = std::max(known, best);
  }
}

std::vector<std::size_t> Coverage::operators_that_are(OperatorCoverage coverage) const {
  std::vector<std::size_t> numbers;
  for (const auto& [number, known] : operators)
    if (known == coverage) numbers.push_back(number);
  return numbers;
}

}  // namespace macaw::compare
