#pragma once
#include "sim/sc/pipeline.hpp"
#include "sim/sc/u85/output_unit.hpp"
#include "sim/sc/u85/scale_reader.hpp"

namespace macaw::npu::sc {

/// Of U85.
class PipelineU85 : public PipelineModule {
 public:
  PipelineU85(const sc_core::sc_module_name& name, const CoreConfig& config, const PipelineBindings& bindings,
              Pmu& pmu);
  [[nodiscard]] std::string queues() const override;

 private:
  BlockRam ram_;
  StreamBuffer stream_buffer_;
  Traversal traversal_;
  IfmLoaderU85 ifm_loader_;
  WeightDecoder weight_decoder_;
  ScaleReader scale_reader_;
  MacArrayU85 mac_array_;
  OutputUnitU85 output_unit_;
  OfmWriter ofm_writer_;

  sc_core::sc_fifo<StepRef> ifm_steps_, weight_steps_, mac_steps_;
  sc_core::sc_fifo<JobRef> blocks_, scaled_blocks_;
  sc_core::sc_fifo<std::uint64_t> weight_blocks_;
  sc_core::sc_fifo<AccumulatedColumn> columns_;
  sc_core::sc_fifo<OperandPart> operands_;
  sc_core::sc_fifo<OutputSlice> slices_;
};

}  // namespace macaw::npu::sc
