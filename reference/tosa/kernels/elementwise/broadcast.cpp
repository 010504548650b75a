#include "reference/tosa/kernels/elementwise/broadcast.hpp"

#include <atomic>

namespace macaw::tosa {

BroadcastWalk::BroadcastWalk(const Shape& out, std::span<const Tensor* const> inputs) {
  // Adjacent axes over which every input either advances or repeats are one axis.
  std::vector<Dimension> merged;
  std::array<bool, kMaxInputs> last{};
  std::array<std::int64_t, kMaxInputs> pitch{1, 1, 1};
  for (std::size_t axis = out.size(); axis-- > 0;) {
    if (out[axis] == 1) continue;
    std::array<bool, kMaxInputs> moves{};
    for (std::size_t k = 0; k < inputs.size(); ++k) moves[k] = inputs[k]->shape()[axis] != 1;
    if (!merged.empty() && moves == last) {
      merged.back().extent *= out[axis];
    } else {
      Dimension dimension{out[axis], {}};
      for (std::size_t k = 0; k < inputs.size(); ++k) dimension.stride[k] = moves[k] ? pitch[k] : 0;
      merged.push_back(dimension);
      last = moves;
    }
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (moves[k]) pitch[k] *= out[axis];
  }
  if (merged.empty()) merged.emplace_back();
  length_ = merged.front().extent;
  for (std::size_t k = 0; k < inputs.size(); ++k) advance_[k] = merged.front().stride[k] != 0;
  outer_.assign(merged.rbegin(), merged.rend() - 1);
  runs_ = length_ == 0 ? 0 : 1;
  for (const auto& dimension : outer_) runs_ *= dimension.extent;
}

void BroadcastWalk::for_each_run(std::size_t first_element, std::size_t end_element,
                                 FunctionRef<void(const Run&)> f) const {
  const auto first = static_cast<std::int64_t>(first_element), end = static_cast<std::int64_t>(end_element);
  if (first >= end) return;
  // The place of the first element.
  Run run{first, 0, {}};
  std::vector<std::int64_t> index(outer_.size(), 0);
  auto rest = first / length_;
  for (std::size_t axis = outer_.size(); axis-- > 0; rest /= outer_[axis].extent) {
    index[axis] = rest % outer_[axis].extent;
    for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] += outer_[axis].stride[k] * index[axis];
  }
  for (auto skipped = first % length_;; skipped = 0) {
    auto part = run;
    part.length = std::min(length_ - skipped, end - run.out);
    for (std::size_t k = 0; k < kMaxInputs; ++k) part.in[k] += advance_[k] ? skipped : 0;
    f(part);
    run.out += part.length;
    if (run.out >= end) return;
    for (std::size_t axis = outer_.size(); axis-- > 0;) {
      const auto& dimension = outer_[axis];
      for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] += dimension.stride[k];
      if (++index[axis] < dimension.extent) break;
      for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] -= dimension.stride[k] * dimension.extent;
      index[axis] = 0;
    }
  }
}

std::optional<BroadcastWalk::Folded> BroadcastWalk::fold() const {
  if (outer_.empty() || !advance_[0] || !advance_[1]) return std::nullopt;
  const auto& next = outer_.back();
  // For long rows a part of the repetitions is sufficient; a few repetitions do not pay.
  if (4 * length_ > Folded::kRepeated || length_ * next.extent < 4 * Folded::kRepeated) return std::nullopt;
  Folded folded{*this, next.stride[0] == 0 ? 0u : 1u, length_};
  if (next.stride[folded.input] != 0 || next.stride[1 - folded.input] != length_) return std::nullopt;
  folded.walk.outer_.pop_back();
  folded.walk.runs_ /= next.extent;
  folded.walk.length_ *= next.extent;
  folded.walk.advance_[folded.input] = false;
  return folded;
}

bool all_ranges(const Call& call, std::size_t count, FunctionRef<bool(std::size_t, std::size_t)> range) {
  std::atomic<bool> holds = true;
  split(call, count, kLeastElements, [&](std::size_t first, std::size_t end) {
    if (!range(first, end)) holds = false;
  });
  return holds;
}

}  // namespace macaw::tosa
