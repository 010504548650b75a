#include "workflow/compare/trace/control_path.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace macaw::compare {

std::vector<ControlPath::Position> ControlPath::successors(const Position& from, const Condition& condition) const {
  const auto& step = std::get<npu::ControlStep>(artifact_.steps[from.next]);
  Position on = from;
  ++on.next;
  switch (step.kind) {
    case npu::ControlStep::Kind::kGoOn: return {on};
    case npu::ControlStep::Kind::kJump: {
      Position jump = from;
      jump.next = step.target;
      if (!step.unless) return {jump};
      return condition(*step.unless).value_or(true) ? std::vector{on, jump} : std::vector{jump, on};
    }
    case npu::ControlStep::Kind::kCall: on.returns.push_back(std::exchange(on.next, step.target)); return {on};
    case npu::ControlStep::Kind::kReturn: break;
  }
  if (from.returns.empty()) return {};
  on.next = on.returns.back();
  on.returns.pop_back();
  return {on};
}

std::vector<const npu::ControlStep*> ControlPath::advance_to(std::size_t step, const Condition& condition) {
  constexpr std::size_t kMostPositions = 10'000;
  // Depth first: each entry is a position and that from which it was reached.
  std::vector<std::pair<Position, std::size_t>> visited;
  std::vector<std::pair<Position, std::size_t>> open{{position_, 0}};
  std::set<Position> known;
  while (!open.empty() && visited.size() < kMostPositions) {
    auto [at, from] = std::move(open.back());
    open.pop_back();
    if (!known.insert(at).second) continue;
    const auto number = visited.size();
    visited.emplace_back(at, from);
    if (at.next == step) {
      std::vector<const npu::ControlStep*> steps;
      for (auto i = number; i != 0;) {
        i = visited[i].second;
        steps.push_back(&std::get<npu::ControlStep>(artifact_.steps[visited[i].first.next]));
      }
      std::ranges::reverse(steps);
      position_ = std::move(at);
      ++position_.next;
      return steps;
    }
    if (at.next >= artifact_.steps.size() || !std::holds_alternative<npu::ControlStep>(artifact_.steps[at.next]))
      continue;
    auto next = successors(at, condition);
    std::ranges::reverse(next);
    for (auto& position : next) open.emplace_back(std::move(position), number);
  }
  position_ = {step + 1, {}};
  return {};
}

}  // namespace macaw::compare
