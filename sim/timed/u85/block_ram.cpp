#include "sim/timed/u85/block_ram.hpp"

#include <algorithm>

namespace macaw::npu::timed::u85 {

BlockRam::BlockRam(const sc_core::sc_module_name& name, std::uint64_t ifm_bytes, int blocks)
    : sc_core::sc_module(name), access("access"), ifm_bytes_(ifm_bytes), blocks_(static_cast<std::size_t>(blocks)) {
  access.bind(*this);
}

void BlockRam::restart() {
  std::ranges::fill(blocks_, HeldBlock());
  order_.clear();
  accumulators_ = 0;
}

// Blocks of earlier operations count as oldest.
void BlockRam::keep_newest(const KernelRun& run, std::size_t count) {
  const auto dropped = [&](int index) {
    const bool drop = block(index).owner != run.number;
    if (drop) block(index).kept = false;
    return drop;
  };
  order_.erase(std::remove_if(order_.begin(), order_.end(), dropped), order_.end());
  while (order_.size() > count) {
    block(order_.front()).kept = false;
    order_.erase(order_.begin());
  }
  released_.notify();
}

int BlockRam::find(const KernelRun& run, const IfmBlock& step) {
  const auto it = std::find_if(order_.rbegin(), order_.rend(), [&](int index) {
    return block(index).owner == run.number && block(index).box == step.box;
  });
  if (it == order_.rend()) return -1;
  const int index = *it;
  order_.erase(std::next(it).base());
  order_.push_back(index);
  keep_newest(run, step.kept);
  ++block(index).users;
  return index;
}

int BlockRam::open(const KernelRun& run, const IfmBlock& step) {
  keep_newest(run, step.kept > 0 ? step.kept - 1 : 0);
  for (;;) {
    const auto free = std::find_if(blocks_.begin(), blocks_.end(), [](const HeldBlock& b) { return !b.live(); });
    if (free != blocks_.end()) {
      const int index = static_cast<int>(free - blocks_.begin());
      free->parts.clear();
      *free = {
          .owner = run.number, .box = step.box, .users = 1, .kept = step.kept > 0, .parts = std::move(free->parts)};
      if (free->kept) order_.push_back(index);
      return index;
    }
    if (!drop_oldest_idle()) released_.wait();
  }
}

// If there are fewer places than blocks kept by the walk, a block that is currently unused is dropped.
bool BlockRam::drop_oldest_idle() {
  const auto idle = std::ranges::find_if(order_, [&](int index) { return block(index).users == 0; });
  if (idle == order_.end()) return false;
  block(*idle).kept = false;
  order_.erase(idle);
  return true;
}

bool BlockRam::others_in_use(int index) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (static_cast<int>(i) != index && blocks_[i].users > 0) return true;
  return false;
}

std::uint64_t BlockRam::live_bytes() const {
  std::uint64_t sum = 0;
  for (const HeldBlock& b : blocks_) sum += b.live() ? b.bytes : 0;
  return sum;
}

// A block that is larger than the RAM, or that does not fit in addition to the kept ones, is loaded on its own.
void BlockRam::reserve(int index, std::uint64_t bytes) {
  while (live_bytes() + bytes > ifm_bytes_ && others_in_use(index)) released_.wait();
  block(index).bytes += bytes;
}

void BlockRam::asked(int index, Beats until, Ticks arrived) {
  auto& parts = block(index).parts;
  if (!parts.empty()) arrived = std::max(arrived, parts.back().arrived);
  parts.push_back({until, arrived});
  asked_.notify();
}

void BlockRam::wait_for(int index, Beats beats) {
  if (beats == Beats()) return;
  const auto& parts = block(index).parts;
  while (parts.empty() || parts.back().until < beats) asked_.wait();
  wait_until(std::ranges::lower_bound(parts, beats, {}, &HeldBlock::Part::until)->arrived);
}

bool BlockRam::has(int index, Beats beats, Ticks t) const {
  if (beats == Beats()) return true;
  const auto& parts = blocks_[static_cast<std::size_t>(index)].parts;
  const auto part = std::ranges::lower_bound(parts, beats, {}, &HeldBlock::Part::until);
  return part != parts.end() && part->arrived <= t;
}

void BlockRam::release(int index) {
  if (--block(index).users == 0) released_.notify();
}

void BlockRam::claim_accumulator(const KernelRun& run) {
  while (accumulators_ >= run.accumulators) accumulator_released_.wait();
  ++accumulators_;
}

void BlockRam::release_accumulator() {
  --accumulators_;
  accumulator_released_.notify();
}

}  // namespace macaw::npu::timed::u85
