#pragma once
#include "sim/timed/condition.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"

#include <optional>

namespace macaw::npu::timed::u55_u65 {

/// A part of the IFM buffer of U55 and U65: holds one IFM block and the reads that fill it.
struct IfmSlot {
  std::uint64_t owner = 0;  ///< number of the operation; 0: none
  Box box;
  std::uint64_t users = 0;  ///< unfinished steps that need the block
  AxiRequest ifm, ifm2;
  BurstCursor ifm_bursts, ifm2_bursts;

  /// Suspends the caller until the block has been read.
  void wait_filled() {
    ifm.wait_done();
    ifm2.wait_done();
  }
};

/// Buffers between the units of U55 and U65, as counted resources: IFM slots and accumulator buffers. The claims wait
/// until one is free.
class SharedRamInterface : public virtual sc_core::sc_interface {
 public:
  /// If the operation uses a different layout of the RAM, waits until the previous operation has no data left in it.
  virtual void lay_out(const KernelRun& run) = 0;
  /// Suspends the caller until the RAM is laid out for the operation.
  virtual void wait_laid_out(const KernelRun& run) = 0;
  /// Index of the slot that retains `box` for the operation; -1 if none does.
  [[nodiscard]] virtual int find_ifm(const KernelRun& run, const Box& box) const = 0;
  /// Claims the next slot in turn, when its last user has finished; the caller fills it.
  virtual int claim_ifm(const KernelRun& run, const Box& box) = 0;
  virtual void add_ifm_user(int slot) = 0;
  virtual void release_ifm(int slot) = 0;
  [[nodiscard]] virtual IfmSlot& ifm(int slot) = 0;

  virtual void claim_accumulator() = 0;
  virtual void release_accumulator() = 0;
};

class SharedRam : public sc_core::sc_module, public SharedRamInterface, public Restartable {
 public:
  sc_core::sc_export<SharedRamInterface> access;

  SharedRam(const sc_core::sc_module_name& name, int ifm_slots, int accumulators);

  void lay_out(const KernelRun& run) override;
  void wait_laid_out(const KernelRun& run) override;
  [[nodiscard]] int find_ifm(const KernelRun& run, const Box& box) const override;
  int claim_ifm(const KernelRun& run, const Box& box) override;
  void add_ifm_user(int slot) override { ++ifm(slot).users; }
  void release_ifm(int slot) override;
  [[nodiscard]] IfmSlot& ifm(int slot) override { return *slots_[static_cast<std::size_t>(slot)]; }
  void claim_accumulator() override;
  void release_accumulator() override;
  void restart() override;
  void give_up() override;

 private:
  struct Layout {
    int ib_end, ib2_start, ab_start;
    AccFormat acc_format;
    bool operator==(const Layout&) const = default;
  };
  std::optional<Layout> layout_;
  std::uint64_t laid_out_ = 0;  ///< number of the operation for which the RAM is laid out
  std::vector<std::unique_ptr<IfmSlot>> slots_;
  std::size_t next_slot_ = 0;
  int accumulators_, free_accumulators_;
  Condition ifm_released_, accumulator_released_, laid_out_changed_;
};

}  // namespace macaw::npu::timed::u55_u65
