#pragma once
#include "sim/timed/condition.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"

namespace macaw::npu::timed::u85 {

/// An IFM block in the IFM RAM of U85.
struct HeldBlock {
  std::uint64_t owner = 0;  ///< number of the operation; 0: none
  Box box;
  std::uint64_t bytes = 0;  ///< bytes that have arrived or are on their way
  std::uint64_t users = 0;  ///< unfinished steps that need it
  bool kept = false;        ///< a later step may use it
  Beats beats{};            ///< that reading it takes
  struct Part {
    Beats until{};    ///< counted from the block's start
    Ticks arrived{};  ///< when all beats up to there have arrived
  };
  std::vector<Part> parts;  ///< requested parts, in order
  [[nodiscard]] bool live() const { return kept || users > 0; }
};

/// IFM RAM and accumulator RAM of U85 as counted resources.
class BlockRamInterface : public virtual sc_core::sc_interface {
 public:
  /// Index of the block that a step uses without fetching it, which becomes the newest; -1 if it is not in the RAM.
  virtual int find(const KernelRun& run, const IfmBlock& step) = 0;
  /// Opens a place for the block that a step fetches; suspends the caller while all places are taken.
  virtual int open(const KernelRun& run, const IfmBlock& step) = 0;
  /// Reserves room for more bytes of a block; suspends the caller while the RAM is full of blocks in use.
  virtual void reserve(int block, std::uint64_t bytes) = 0;
  [[nodiscard]] virtual HeldBlock& block(int index) = 0;
  /// Records that the beats of a block up to `until` have been requested and will arrive at `arrived`.
  virtual void asked(int block, Beats until, Ticks arrived) = 0;
  /// Suspends the caller until the first `beats` of a block have arrived.
  virtual void wait_for(int block, Beats beats) = 0;
  /// Whether they are known to have arrived by `t`.
  [[nodiscard]] virtual bool has(int block, Beats beats, Ticks t) const = 0;
  virtual void release(int block) = 0;

  /// Claims a buffer for an OFM block of `run`; suspends the caller while all buffers that the RAM holds are taken.
  virtual void claim_accumulator(const KernelRun& run) = 0;
  virtual void release_accumulator() = 0;
};

class BlockRam : public sc_core::sc_module, public BlockRamInterface, public Restartable {
 public:
  sc_core::sc_export<BlockRamInterface> access;

  BlockRam(const sc_core::sc_module_name& name, std::uint64_t ifm_bytes, int blocks);

  int find(const KernelRun& run, const IfmBlock& step) override;
  int open(const KernelRun& run, const IfmBlock& step) override;
  void reserve(int block, std::uint64_t bytes) override;
  [[nodiscard]] HeldBlock& block(int index) override { return blocks_[static_cast<std::size_t>(index)]; }
  void asked(int block, Beats until, Ticks arrived) override;
  void wait_for(int block, Beats beats) override;
  [[nodiscard]] bool has(int block, Beats beats, Ticks t) const override;
  void release(int block) override;
  void claim_accumulator(const KernelRun& run) override;
  void release_accumulator() override;
  void restart() override;

 private:
  void keep_newest(const KernelRun& run, std::size_t count);
  bool drop_oldest_idle();
  [[nodiscard]] bool others_in_use(int block) const;
  [[nodiscard]] std::uint64_t live_bytes() const;

  std::uint64_t ifm_bytes_;
  std::vector<HeldBlock> blocks_;
  std::vector<int> order_;  ///< kept blocks, oldest first
  int accumulators_ = 0;    ///< buffers taken
  Condition asked_, released_, accumulator_released_;
};

}  // namespace macaw::npu::timed::u85
