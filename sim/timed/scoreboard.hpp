#pragma once
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"

namespace macaw::npu::timed {

/// A DMA job between its issue and its last response.
struct DmaRun {
  std::size_t command = 0;
  std::uint32_t byte_offset = 0;  ///< of the command
  DmaTraffic traffic;
  Ticks issued{}, start{}, end{};
  bool finished = false;

  [[nodiscard]] bool is_finished() const { return finished; }
};
using DmaRef = std::shared_ptr<DmaRun>;

/// Operations outstanding, for the command processor's waits and limits.
class ScoreboardInterface : public virtual sc_core::sc_interface {
 public:
  /// The data of a block has been sent to memory.
  virtual void block_written(Job& job) = 0;
  virtual void block_finished(Job& job) = 0;
  virtual void dma_finished(DmaRun& run) = 0;
};

class Scoreboard : public sc_core::sc_module, public ScoreboardInterface, public Restartable {
 public:
  sc_core::sc_export<ScoreboardInterface> access;

  explicit Scoreboard(const sc_core::sc_module_name& name);

  /// Counts an operation, together with those that are chained to it, as one.
  void kernel_issued(KernelRun& run);
  void dma_issued() { ++dmas_; }
  void block_written(Job& job) override;
  void block_finished(Job& job) override;
  void dma_finished(DmaRun& run) override;
  void restart() override { kernels_ = dmas_ = unwritten_ = 0; }
  /// Notified when the last block of an operation, or a copy, has finished.
  [[nodiscard]] const sc_core::sc_event& operation_finished() const { return operation_finished_; }

  [[nodiscard]] std::uint64_t kernels() const { return kernels_; }
  [[nodiscard]] std::uint64_t dmas() const { return dmas_; }

  /// Suspend the caller until at most `count` operations of the kind are outstanding.
  void wait_kernels(std::uint64_t count);
  void wait_dmas(std::uint64_t count);
  /// Suspends the caller until the data of all operations has been sent to memory.
  void wait_written();

 private:
  std::uint64_t kernels_ = 0, dmas_ = 0;
  std::uint64_t unwritten_ = 0;  ///< operations with data that has not been sent, those of a chain counted individually
  sc_core::sc_event kernels_changed_, dmas_changed_, written_, progress_, operation_finished_;
};

}  // namespace macaw::npu::timed
