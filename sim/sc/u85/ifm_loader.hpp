#pragma once
#include "sim/sc/u85/block_ram.hpp"
#include "sim/sc/u85/read_buffer.hpp"

namespace macaw::npu::sc {

/// Part of the operands of an elementwise operation on its way to the output unit.
struct OperandPart {
  StepRef step;
  std::uint64_t elements = 0;  ///< OFM elements that can be computed with it and the parts before
  std::uint64_t words = 0;     ///< of the stream buffer
  Ticks arrived = 0;
  bool last = false;
  friend std::ostream& operator<<(std::ostream& os, const OperandPart& part) { return os << part.elements; }
};

/// Words of the IFM stream buffer: taken by the loader, given back by the output unit.
class StreamBuffer : public sc_core::sc_module {
 public:
  StreamBuffer(const sc_core::sc_module_name& name, double words)
      : sc_core::sc_module(name), words_(static_cast<std::uint64_t>(CoreConfig::count(words))) {}
  void claim(std::uint64_t words) {
    while (held_ > 0 && held_ + words > words_) sc_core::wait(released_);
    held_ += words;
  }
  /// Words of the last burst that were not asked for.
  void overdraw(std::uint64_t words) { held_ += words; }
  void release(std::uint64_t words) {
    held_ -= words;
    released_.notify();
  }

 private:
  std::uint64_t words_, held_ = 0;
  sc_core::sc_event released_;
};

/// U85: loads IFM blocks into the IFM RAM for the MAC array, and streams the operands of elementwise operations and
/// resizes to the output unit. Waits for BLOCKDEP before the first step of an OFM block, for room in the RAM or the
/// stream buffer, for the read buffer, and until its reads have been issued.
class IfmLoaderU85 : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<StepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<StepRef>> mac_steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<OperandPart>> operands;
  sc_core::sc_port<BlockRamInterface> ram;
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;  ///< by side

  SC_HAS_PROCESS(IfmLoaderU85);
  IfmLoaderU85(const sc_core::sc_module_name& name, const CoreConfig& config, StreamBuffer& stream, Pmu& pmu);

  void trace(sc_core::sc_trace_file* file) const override { activity_.trace(file, name()); }

 private:
  void run();
  void load(const StepRef& step);
  void fetch_block(Step& step);
  void fetch_accumulators(Step& step);
  void stream(const StepRef& step);
  void start(BurstCursor& cursor, const TransferList& transfers) const;
  [[nodiscard]] AxiMasterInterface& port(const TransferList& transfers);

  const CoreConfig& config_;
  StreamBuffer& stream_;
  Pmu& pmu_;
  ReadBuffer buffer_, stream_reads_;
  Activity activity_;
};

}  // namespace macaw::npu::sc
