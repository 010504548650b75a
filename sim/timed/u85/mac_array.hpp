#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/u85/block_ram.hpp"
#include "sim/timed/u85/mac_units.hpp"

namespace macaw::npu::timed::u85 {

/// Rows of a band of an OFM block whose accumulators the output unit can process one by one.
struct AccumulatedRows {
  JobRef job;
  std::uint64_t column = 0;  ///< first column of the band
  std::uint64_t first = 0, end = 0;
  std::uint64_t all = 1;  ///< rows of the band
  Ticks start{};          ///< of the MAC array's work on the band, if it waited for nothing since
  Ticks begun{};          ///< duration of that work until the last weights are in use
  Ticks length{};         ///< duration of all of it
  Ticks ready{};          ///< when the first row is ready

  /// When a row is ready.
  [[nodiscard]] Ticks done(std::uint64_t row) const { return start + std::max(begun, length * (row + 1) / all); }
};

/// U85: multiplies unit by unit, with a pause before each pass over the columns of a block. Waits for an accumulator
/// buffer before the first step of an OFM block, for the step's IFM block (in the first band of a depthwise operation
/// or pool for the rows that a row of micro-blocks needs), and for the weights of each unit. In the last group of taps
/// of a block it proceeds band by band, and reports to the output unit when each row of a band will be done.
class MacArray : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> steps;
  sc_core::sc_port<Fifo<std::uint64_t>> weight_blocks;
  sc_core::sc_port<Fifo<AccumulatedRows>> accumulated;
  sc_core::sc_port<BlockRamInterface> ram;

  SC_HAS_PROCESS(MacArray);
  MacArray(const sc_core::sc_module_name& name, Pmu& pmu);

 private:
  void run();
  void multiply(const IfmStepRef& step);
  void multiply_band(const IfmStepRef& step, std::uint64_t column, std::uint64_t columns, Ticks column_time);
  void work(const KernelRun& run, Ticks time);
  /// Advances the time of the unit; suspends the caller only where it may not run ahead.
  void pass(Ticks time);
  /// Suspends the caller for the time that it is ahead.
  void catch_up();
  [[nodiscard]] Ticks local_time() const { return now() + ahead_; }
  void wait_for_weights(const BlockOperation& op);
  void wait_for_ifm(const IfmStep& step, std::uint64_t row);
  /// Whether rows of the band wait for rows of the IFM block.
  [[nodiscard]] static bool goes_by_rows(const IfmStep& step, std::uint64_t column);

  Pmu& pmu_;
  Ticks ahead_;  ///< lead over the simulation: time of work that the unit has not waited for yet
  Activity activity_;
};

}  // namespace macaw::npu::timed::u85
