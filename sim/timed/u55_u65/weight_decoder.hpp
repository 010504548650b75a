#pragma once
#include "sim/timed/u55_u65/shared_ram.hpp"
#include "sim/timed/weight_decoder.hpp"

namespace macaw::npu::timed::u55_u65 {

/// U55 and U65: decodes the weight blocks of a step two at a time, and reads the scales of OFM blocks through the same
/// channel. In addition to the waits of every weight decoder, waits until the reads of an OFM block's scales have been
/// issued, and at the start of an operation until they have arrived and the shared RAM is laid out for it.
class WeightDecoder : public timed::WeightDecoder {
 public:
  sc_core::sc_port<SharedRamInterface> ram;

  using timed::WeightDecoder::WeightDecoder;

  void restart() override {
    timed::WeightDecoder::restart();
    scales_of_ = 0;
  }

 private:
  void prepare(const IfmStep& step) override;
  [[nodiscard]] Beats capacity(const BlockOperation& op) const override;
  [[nodiscard]] bool reads_weights_alone() const override { return false; }
  void decode_groups(IfmStep& step) override;

  AxiRequest scale_request_;
  BurstCursor scale_cursor_;
  std::uint64_t scales_of_ = 0;  ///< number of the operation
};

}  // namespace macaw::npu::timed::u55_u65
