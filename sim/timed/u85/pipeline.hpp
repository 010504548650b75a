#pragma once
#include "sim/timed/ofm_writer.hpp"
#include "sim/timed/pipeline.hpp"
#include "sim/timed/traversal.hpp"
#include "sim/timed/u85/output_unit.hpp"
#include "sim/timed/u85/weight_decoder.hpp"

namespace macaw::npu::timed::u85 {

/// The units of U85 with the queues between them; it has no process of its own.
class Pipeline : public timed::Pipeline {
 public:
  Pipeline(const sc_core::sc_module_name& name, const CoreConfig& config, const PipelineBindings& bindings, Pmu& pmu);
  [[nodiscard]] std::string queues() const override;
  void restart() override;

 private:
  BlockRam ram_;
  StreamBuffer stream_buffer_;
  Traversal traversal_;
  IfmLoader ifm_loader_;
  WeightDecoder weight_decoder_;
  ScaleReader scale_reader_;
  MacArray mac_array_;
  OutputUnit output_unit_;
  OfmWriter ofm_writer_;

  Fifo<IfmStepRef> ifm_steps_, weight_steps_, mac_steps_;
  Fifo<JobRef> blocks_, scaled_blocks_;
  Fifo<std::uint64_t> weight_blocks_;
  Fifo<AccumulatedRows> accumulated_;
  Fifo<OperandPart> operands_;
  Fifo<OutputSlice> slices_;
};

}  // namespace macaw::npu::timed::u85
