#include "reference/tosa/plan.hpp"

#include <algorithm>

namespace macaw::tosa {

namespace {

/// Finds the reader of block.operators[index] (Plan::next_reader); `readers` counts how often each value is read.
std::optional<std::size_t> find_next_reader(const Block& block, std::size_t index,
                                            const std::vector<std::size_t>& readers) {
  const auto& op = block.operators[index];
  if (op.outputs.size() != 1 || readers[op.outputs[0]] != 1) return std::nullopt;
  const auto is_constant = [&](const Operator& other) {
    return (other.op == Op::kCONST || other.op == Op::kCONST_SHAPE) && block.values[other.outputs[0]].data;
  };
  auto next = index + 1;
  while (next < block.operators.size() && is_constant(block.operators[next])) ++next;
  if (next == block.operators.size() || std::ranges::count(block.operators[next].inputs, op.outputs[0]) == 0)
    return std::nullopt;
  return next;
}

}  // namespace

Plan make_plan(const Block& block) {
  constexpr std::size_t kKeep = SIZE_MAX;
  std::vector<std::size_t> last(block.values.size(), kKeep);
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    for (const auto id : block.operators[i].outputs) last[id] = i;  // never read: dies where it is born
    for (const auto id : block.operators[i].inputs) last[id] = i;
  }
  for (const auto id : block.outputs) last[id] = kKeep;
  std::vector<std::size_t> readers(block.values.size());
  for (const auto& op : block.operators)
    for (const auto id : op.inputs) ++readers[id];
  for (const auto id : block.outputs) ++readers[id];
  Plan plan;
  plan.free_after.resize(block.operators.size());
  for (std::size_t id = 0; id < last.size(); ++id)
    if (last[id] != kKeep) plan.free_after[last[id]].push_back(static_cast<ValueId>(id));
  for (std::size_t i = 0; i < block.operators.size(); ++i)
    plan.next_reader.push_back(find_next_reader(block, i, readers));
  return plan;
}

}  // namespace macaw::tosa
