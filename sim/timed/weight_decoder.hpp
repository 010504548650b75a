#pragma once
#include "sim/timed/activity.hpp"
#include "sim/timed/condition.hpp"
#include "sim/timed/core_config.hpp"
#include "sim/timed/fifo.hpp"
#include "sim/timed/job.hpp"
#include "sim/timed/restartable.hpp"

namespace macaw::npu::timed {

/// Reads weight streams and decodes weight blocks for the MAC array; the granularity and the prerequisites depend on
/// the family (u55_u65/weight_decoder.hpp, u85/weight_decoder.hpp). The reading side waits for room in the stream
/// buffer; the decoding side for stream data and for room in the weight buffer. All decoders of the accelerator work in
/// step, each on its part of a weight block.
class WeightDecoder : public sc_core::sc_module, public Restartable {
 public:
  sc_core::sc_port<sc_core::sc_fifo_in_if<IfmStepRef>> steps;
  sc_core::sc_port<sc_core::sc_fifo_out_if<std::uint64_t>> weight_blocks;  ///< numbers of decoded weight blocks
  sc_core::sc_vector<sc_core::sc_port<AxiMasterInterface>> axi;            ///< by side

  SC_HAS_PROCESS(WeightDecoder);
  WeightDecoder(const sc_core::sc_module_name& name, const CoreConfig& config, Pmu& pmu);

  void restart() override;

 protected:
  /// Weight blocks of a step that are decoded and passed on together.
  struct Group {
    std::uint64_t blocks = 1;
    std::uint64_t cost = 1;            ///< in the unit of KernelRun::decode_cycles
    std::uint64_t until = 0, all = 1;  ///< share of the step's stream consumed with it
  };

  [[nodiscard]] const CoreConfig& config() const { return config_; }
  /// Suspends the caller for the time that the group takes.
  void decode_group(IfmStep& step, const Group& group);

 private:
  /// Part of a stream that is requested at once.
  struct Piece {
    Transfer transfer;
    BurstCursor cursor;
    AxiRequest request;
  };

  /// Suspends the caller until weights of the step may be requested. Called for every step, including those without
  /// weights.
  virtual void prepare(const IfmStep& step) = 0;
  /// Maximum of the beats that are requested and not yet decoded.
  [[nodiscard]] virtual Beats capacity(const BlockOperation& op) const = 0;
  /// Whether the process that reads weights makes no other request before it waits.
  [[nodiscard]] virtual bool reads_weights_alone() const = 0;
  /// Decodes the groups of a step, one by one.
  virtual void decode_groups(IfmStep& step) = 0;

  void read_streams();
  void read_weights(const Transfer& transfer, Beats room);
  void decode();
  void take(Beats beats);
  void wait_for_stream(Job& job, Beats beats);

  const CoreConfig& config_;
  Pmu& pmu_;
  const Pace pace_;
  Beats held_;               ///< requested and not yet decoded
  Beats wanted_;             ///< maximum of `held_` for which the next request has room
  Beats arrived_, decoded_;  ///< since the start
  Beats before_, due_;       ///< decoded before the current step; decoded in it
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::size_t next_piece_ = 0;
  Fifo<IfmStepRef> decoding_;
  Fifo<Piece*> requested_;
  Condition freed_;
  Activity activity_;
};

}  // namespace macaw::npu::timed
