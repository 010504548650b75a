#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/u85/ifm_loader.hpp"
#include "sim/timed/u85/mac_array.hpp"
#include "sim/timed/u85/scale_reader.hpp"

namespace macaw::npu::timed::u85 {

/// U85: activation and output (AO) processes accumulators row by row of a band, or operands part by part, and passes
/// OFM elements on in slices. Waits for scales, accumulators or operands, and for room in the output buffer.
class OutputUnit : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<JobRef>> blocks;
  sc_core::sc_port<ScaleInterface> scales;
  sc_core::sc_port<Fifo<AccumulatedRows>> accumulated;
  sc_core::sc_port<sc_core::sc_fifo_in_if<OperandPart>> operands;
  sc_core::sc_port<Fifo<OutputSlice>> slices;
  sc_core::sc_port<BlockRamInterface> ram;

  SC_HAS_PROCESS(OutputUnit);
  OutputUnit(const sc_core::sc_module_name& name, const CoreConfig& config, StreamBuffer& stream, Pmu& pmu);

 private:
  void run();
  void take_accumulators(const JobRef& job);
  void take_row(const AccumulatedRows& rows, const Bands& bands, std::uint64_t row);
  void take_operands(const JobRef& job);
  /// Produces elements until `done` of the block's `total` are complete. A partial slice is passed on immediately or,
  /// with `whole_slices`, with the next elements.
  void turn_out(const JobRef& job, std::uint64_t done, std::uint64_t total, bool whole_slices = false);
  /// Suspends the caller until a row is ready.
  void wait_for_row(Job& job, Ticks done);
  /// Counts the elements produced. Returns when they are done, up to which the caller has waited unless it may run
  /// ahead.
  Ticks finish_work(Job& job);
  /// Suspends the caller for the time of the elements produced.
  void catch_up(Job& job) { wait_until(finish_work(job)); }

  const CoreConfig& config_;
  StreamBuffer& stream_;
  Pmu& pmu_;
  const Ticks latency_;
  std::uint64_t out_ = 0;    ///< elements of the current block that have been produced
  Ticks worked_;             ///< time that they took
  Ticks owed_;               ///< part of it that has not been counted yet
  Beats beats_, all_beats_;  ///< of the block: passed on, and in total
  Activity activity_;
};

}  // namespace macaw::npu::timed::u85
