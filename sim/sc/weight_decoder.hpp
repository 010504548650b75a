#pragma once
#include "sim/sc/core_config.hpp"
#include "sim/sc/u85/mac_units.hpp"
#include "sim/sc/u85/scale_reader.hpp"

namespace macaw::npu::sc {

/// Reads scale and weight streams and decodes weight blocks for the MAC array. The reading side waits for room in the
/// stream buffer and, at the start of an operation, for its scales; the decoding side for stream data and for room in
/// the weight buffer. All decoders of the accelerator work in step, each on its part of a weight block.
class WeightDecoder : public sc_core::sc_module {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<StepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<std::uint64_t>> weight_blocks;      ///< numbers of decoded weight blocks
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;                ///< by side
  sc_core::sc_port<ScaleInterface, 1, sc_core::SC_ZERO_OR_MORE_BOUND> scales;  ///< U85

  /// Weight blocks that are decoded and handed over at a time (U85: one unit).
  static constexpr std::uint64_t kGroup = 2;

  SC_HAS_PROCESS(WeightDecoder);
  WeightDecoder(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu);

  void trace(sc_core::sc_trace_file* file) const override { activity_.trace(file, name()); }

 private:
  /// Part of a stream that is requested at once.
  struct Piece {
    Transfer transfer;
    BurstCursor cursor;
    AxiRequest request;
  };

  void read_streams();
  void read_scales(Job& job);
  void read_weights(const KernelRun& run, const Transfer& transfer);
  void decode();
  void take(std::uint64_t beats);
  void wait_for_stream(Job& job, std::uint64_t beats);

  const CoreConfig& config_;
  Pmu& pmu_;
  /// What a step decodes: equal weight blocks, on U85 units of different sizes.
  struct Work {
    std::uint64_t blocks = 0, group = 1;
    std::uint64_t total = 0;  ///< weights, or weight blocks
    std::optional<MacUnits> units;
    [[nodiscard]] std::uint64_t until(std::uint64_t block) const { return units ? units->weights_until(block) : block; }
  };
  [[nodiscard]] Work work_of(const Step& step) const;
  [[nodiscard]] std::uint64_t capacity(const KernelRun& run) const;

  const bool u85_;
  std::uint64_t held_ = 0;                   ///< beats requested and not yet decoded
  std::uint64_t arrived_ = 0, decoded_ = 0;  ///< beats since the start
  std::uint64_t piece_bytes_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::size_t next_piece_ = 0;
  AxiRequest scale_request_;
  BurstCursor scale_cursor_;
  const KernelRun* scales_of_ = nullptr;
  sc_core::sc_fifo<StepRef> decoding_;
  sc_core::sc_fifo<Piece*> requested_;
  sc_core::sc_event freed_;
  Activity activity_;
};

}  // namespace macaw::npu::sc
