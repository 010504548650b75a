#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/condition.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"
#include "sim/timed/u85/read_buffer.hpp"

#include <deque>

namespace macaw::npu::timed::u85 {

class ScaleInterface : public virtual sc_core::sc_interface {
 public:
  /// Suspends the caller until the first `bytes` of the block's scales have arrived, or all of them.
  virtual void wait_for(Job& job, std::uint64_t bytes) = 0;
  /// Whether they are known to have arrived by `t`.
  [[nodiscard]] virtual bool has(const Job& job, std::uint64_t bytes, Ticks t) const = 0;
  /// The output unit has used the first `bytes` of the block's scales at `t`.
  virtual void release(Job& job, std::uint64_t bytes, Ticks t) = 0;
  /// The block needs no more scales.
  virtual void finish(Job& job) = 0;
};

/// U85: fetches the scales of OFM blocks in order, one block ahead of the output unit. A scale occupies room from its
/// request until the output unit has used it.
class ScaleReader : public sc_core::sc_module, public ScaleInterface, public Restartable {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> blocks;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side
  sc_core::sc_export<ScaleInterface> access;

  SC_HAS_PROCESS(ScaleReader);
  ScaleReader(const sc_core::sc_module_name& name, const CoreConfig& config);

  void wait_for(Job& job, std::uint64_t bytes) override;
  [[nodiscard]] bool has(const Job& job, std::uint64_t bytes, Ticks t) const override;
  void release(Job& job, std::uint64_t bytes, Ticks t) override;
  void finish(Job& job) override;
  void restart() override {
    buffer_.restart();
    fetched_ = finished_ = 0;
    requested_ = used_ = {};
    released_.clear();
  }

 private:
  void run();
  void fetch(Job& job);
  /// Suspends the caller until there is room for another request.
  void wait_for_room();

  struct Release {
    Beats words;
    Ticks time;  ///< not before the previous one
  };
  const CoreConfig& config_;
  ReadBuffer buffer_;
  const Beats storage_;
  std::uint64_t fetched_ = 0, finished_ = 0;  ///< blocks
  Beats requested_, used_;        ///< words; of operations on operands, words not requested yet may count as used
  std::deque<Release> released_;  ///< words that count as used from their time on
  Condition asked_, freed_;
  Activity activity_;
};

}  // namespace macaw::npu::timed::u85
