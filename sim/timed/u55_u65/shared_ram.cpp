#include "sim/timed/u55_u65/shared_ram.hpp"

namespace macaw::npu::timed::u55_u65 {

SharedRam::SharedRam(const sc_core::sc_module_name& name, int ifm_slots, int accumulators)
    : sc_core::sc_module(name), access("access"), accumulators_(accumulators), free_accumulators_(accumulators) {
  access.bind(*this);
  for (int i = 0; i < ifm_slots; ++i) slots_.push_back(std::make_unique<IfmSlot>());
}

void SharedRam::restart() {
  layout_.reset();
  laid_out_ = 0;
  for (auto& slot : slots_) slot->owner = 0;
  next_slot_ = 0;
}

void SharedRam::give_up() {
  for (auto& slot : slots_) slot->users = 0;
  free_accumulators_ = accumulators_;
}

void SharedRam::lay_out(const KernelRun& run) {
  const BlockOperation& op = run.op;
  const Layout layout{op.ib_end, op.ib2_start, op.ab_start, op.acc_format};
  if (layout_ && *layout_ != layout) {
    for (const auto& slot : slots_)
      while (slot->users > 0) ifm_released_.wait();
    while (free_accumulators_ < accumulators_) accumulator_released_.wait();
  }
  layout_ = layout;
  laid_out_ = run.number;
  laid_out_changed_.notify();
}

void SharedRam::wait_laid_out(const KernelRun& run) {
  while (laid_out_ < run.number) laid_out_changed_.wait();
}

int SharedRam::find_ifm(const KernelRun& run, const Box& box) const {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i]->owner == run.number && slots_[i]->box == box) return static_cast<int>(i);
  return -1;
}

int SharedRam::claim_ifm(const KernelRun& run, const Box& box) {
  const std::size_t index = next_slot_;
  IfmSlot& slot = *slots_[index];
  while (slot.users > 0) ifm_released_.wait();
  next_slot_ = (next_slot_ + 1) % slots_.size();
  slot.owner = run.number;
  slot.box = box;
  return static_cast<int>(index);
}

void SharedRam::release_ifm(int slot) {
  if (--ifm(slot).users == 0) ifm_released_.notify();
}

void SharedRam::claim_accumulator() {
  while (free_accumulators_ == 0) accumulator_released_.wait();
  --free_accumulators_;
}

void SharedRam::release_accumulator() {
  ++free_accumulators_;
  accumulator_released_.notify();
}

}  // namespace macaw::npu::timed::u55_u65
