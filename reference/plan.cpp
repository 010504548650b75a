#include "reference/plan.hpp"

#include <cstddef>

namespace macaw::tosa {

Plan make_plan(const Block& block) {
  constexpr std::size_t kKeep = SIZE_MAX;
  std::vector<std::size_t> last(block.values.size(), kKeep);
  for (std::size_t i = 0; i < block.operators.size(); ++i) {
    for (const auto id : block.operators[i].outputs) last[id] = i;  // never read: dies where it is born
    for (const auto id : block.operators[i].inputs) last[id] = i;
  }
  for (const auto id : block.outputs) last[id] = kKeep;
  Plan plan;
  plan.free_after.resize(block.operators.size());
  for (std::size_t id = 0; id < last.size(); ++id)
    if (last[id] != kKeep) plan.free_after[last[id]].push_back(static_cast<ValueId>(id));
  return plan;
}

}  // namespace macaw::tosa
