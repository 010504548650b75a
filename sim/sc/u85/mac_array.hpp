#pragma once
#include "sim/sc/activity.hpp"
#include "sim/sc/u85/block_ram.hpp"
#include "sim/sc/u85/mac_units.hpp"

namespace macaw::npu::sc::u85 {

/// A column of micro-blocks of an OFM block whose accumulators the output unit may start to take.
struct AccumulatedColumn {
  JobRef job;
  std::uint64_t index = 0;
  Ticks end{};     ///< its last micro-block is done
  Ticks ublock{};  ///< time of one micro-block
  friend std::ostream& operator<<(std::ostream& os, const AccumulatedColumn& column) { return os << column.index; }
};

/// U85: multiplies unit by unit, with a pause before each pass over the columns of a block. Waits for an accumulator
/// buffer before the first step of an OFM block, for the step's IFM block, and for the weights of each unit. In the
/// last group of taps of a block the output unit is told of each column when its first micro-block is done.
class MacArray : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_in_if<std::uint64_t>> weight_blocks;
  sc_core::sc_port<sc_core::sc_fifo_out_if<AccumulatedColumn>> columns;
  sc_core::sc_port<BlockRamInterface> ram;

  SC_HAS_PROCESS(MacArray);
  MacArray(const sc_core::sc_module_name& name, Pmu& pmu);

 private:
  void run();
  void multiply(const IfmStepRef& step);

  Pmu& pmu_;
  Activity activity_;
};

}  // namespace macaw::npu::sc::u85
