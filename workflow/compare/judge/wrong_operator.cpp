#include "workflow/compare/judge/wrong_operator.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "workflow/compare/judge/misread_operations.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {
namespace {

bool contains(const std::vector<std::size_t>& list, std::size_t value) {
  return std::ranges::find(list, value) != list.end();
}

/// The tensors that later operators read, and their sources.
std::set<TensorId> operands_behind(TensorId tensor, const RunView& run) {
  std::set<TensorId> behind{tensor}, operands;
  for (const auto& op : run.reference.operators) {
    if (std::ranges::none_of(op.inputs, [&](TensorId t) { return behind.contains(t); })) continue;
    behind.insert(op.outputs.begin(), op.outputs.end());
    for (const auto input : op.inputs) {
      operands.insert(run.alignment.representative(input));
      operands.merge(run.alignment.cone(input).frontier);
    }
  }
  return operands;
}

/// Whether operations that read what was written read nothing else that operators behind the tensor do not: steps
/// inside an operator also read its operands.
bool is_read_as(const Match& match, const RunView& run) {
  const auto operands = operands_behind(match.tensor, run);
  const auto is_operand = [&](TensorId t) { return operands.contains(run.alignment.representative(t)); };
  const auto is_read = [&](std::size_t record) {
    const auto tensors = run.alignment.written(record);
    if (!tensors.empty()) return std::ranges::any_of(tensors, is_operand);
    return std::ranges::all_of(run.alignment.sources(record), is_operand);
  };
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const auto& reader = run.records[i];
    const auto own = [&](std::size_t p) { return contains(match.records, p); };
    if (own(i) || std::ranges::none_of(reader.producers, own)) continue;
    for (const auto p : reader.producers)
      if (!own(p) && !is_read(p)) return false;
    for (const auto input : reader.inputs)
      if (const auto tensor = run.alignment.input_tensor(input); tensor && !is_operand(*tensor)) return false;
  }
  return true;
}

}  // namespace

std::optional<Tensor> reinterpret_as(const Tensor& expected, std::span<const std::byte> contents) {
  if (contents.size() != expected.bytes().size()) return std::nullopt;
  Tensor actual(expected.dtype(), expected.shape());
  std::ranges::copy(contents, actual.bytes().begin());
  return actual;
}

void describe_difference(WrongOperator& wrong, const Tensor& expected, std::span<const std::byte> contents) {
  wrong.elements = expected.size();
  wrong.different = expected.size();
  const auto actual = reinterpret_as(expected, contents);
  wrong.other_size = !actual;
  if (!actual) return;
  const auto difference = compare_tensors(wrong.tensor, expected, *actual);
  wrong.different = difference.different;
  wrong.position = difference.index;
  wrong.expected = difference.expected;
  wrong.actual = difference.actual;
  wrong.pattern = pattern_of(expected, *actual);
}

void describe_written(WrongOperator& wrong, const Match& match, const RunView& run, const Cone& cone) {
  if (match.contents.size() != std::as_const(*run.reference.tensors[match.tensor].value).bytes().size()) return;
  wrong.id = match.tensor;
  wrong.contents = match.contents;
  wrong.records = match.records;
  std::set<TensorId> sources;
  wrong.reads_right = wrong.reads_in_order = true;
  for (const auto r : match.records) {
    sources.insert(run.alignment.sources(r).begin(), run.alignment.sources(r).end());
    for (const auto p : run.records[r].producers) {
      if (contains(match.records, p)) continue;
      wrong.reads_right &= run.alignment.explained(p);
      wrong.reads_in_order &= reads_in_order(run.records[p], run.records[r]);
    }
  }
  wrong.reads_right &= std::ranges::includes(sources, cone.frontier);
  wrong.read_as_tensor = is_read_as(match, run);
}

}  // namespace macaw::compare
