#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/u85/block_ram.hpp"
#include "sim/timed/u85/read_buffer.hpp"
#include "sim/timed/u85/scale_reader.hpp"
#include "sim/timed/u85/stream_buffer.hpp"

namespace macaw::npu::timed::u85 {

/// U85: loads IFM blocks into the IFM RAM for the MAC array, and streams the operands of elementwise operations and
/// resizes to the output unit. Waits for BLOCKDEP before the first step of an OFM block, for the first scales before
/// the first step of a depthwise operation, for room in the RAM or the stream buffer, for the read buffer, and until
/// its reads have been issued.
class IfmLoader : public sc_core::sc_module, public Restartable {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<IfmStepRef>> mac_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<OperandPart>> operands;
  sc_core::sc_port<BlockRamInterface> ram;
  sc_core::sc_port<ScaleInterface> scales;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side

  SC_HAS_PROCESS(IfmLoader);
  IfmLoader(const sc_core::sc_module_name& name, const CoreConfig& config, StreamBuffer& stream, Pmu& pmu);

  void restart() override {
    buffer_.restart();
    stream_reads_.restart();
  }

 private:
  void run();
  void load(const IfmStepRef& step);
  void fetch_block(IfmStep& step);
  void fetch_accumulators(IfmStep& step);
  void stream(const IfmStepRef& step);
  /// Reads the next `beats` of `cursor` through `buffer` and counts the time as reading of `job`. Returns when they
  /// will arrive.
  Ticks read(Job& job, ReadBuffer& buffer, const TransferList& transfers, BurstCursor& cursor, Beats beats);
  void start(BurstCursor& cursor, const TransferList& transfers) const;
  [[nodiscard]] AxiMasterInterface& port(const TransferList& transfers);

  const CoreConfig& config_;
  StreamBuffer& stream_;
  Pmu& pmu_;
  ReadBuffer buffer_, stream_reads_;
  Activity activity_;
};

}  // namespace macaw::npu::timed::u85
