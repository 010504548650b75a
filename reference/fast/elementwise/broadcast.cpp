#include "reference/fast/elementwise/broadcast.hpp"

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

std::optional<BroadcastWalk::Folded> BroadcastWalk::fold() const {
  if (outer_.empty() || !advance_[0] || !advance_[1]) return std::nullopt;
  const auto& next = outer_.back();
  // A part of the repeated rows suffices for rows of some length; a few repetitions are not worth it.
  if (4 * length_ > Folded::kRepeated || length_ * next.extent < 4 * Folded::kRepeated) return std::nullopt;
  Folded folded{*this, next.stride[0] == 0 ? 0u : 1u, length_};
  if (next.stride[folded.input] != 0 || next.stride[1 - folded.input] != length_) return std::nullopt;
  folded.walk.outer_.pop_back();
  folded.walk.runs_ /= next.extent;
  folded.walk.length_ *= next.extent;
  folded.walk.advance_[folded.input] = false;
  return folded;
}

}  // namespace macaw::tosa
