#pragma once
#include "sim/timed/u85/scale_reader.hpp"
#include "sim/timed/weight_decoder.hpp"

namespace macaw::npu::timed::u85 {

/// U85: decodes the weights of a step in the units in which the MAC array multiplies them. In addition to the waits of
/// every weight decoder, waits until the scales of an operation's first block have been requested.
class WeightDecoder : public timed::WeightDecoder {
 public:
  sc_core::sc_port<ScaleInterface> scales;

  using timed::WeightDecoder::WeightDecoder;

  void restart() override {
    timed::WeightDecoder::restart();
    prepared_ = 0;
  }

 private:
  void prepare(const IfmStep& step) override;
  [[nodiscard]] Beats capacity(const BlockOperation& op) const override;
  [[nodiscard]] bool reads_weights_alone() const override { return true; }
  void decode_groups(IfmStep& step) override;

  std::uint64_t prepared_ = 0;  ///< number of the last step's operation
};

}  // namespace macaw::npu::timed::u85
