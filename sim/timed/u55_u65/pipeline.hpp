#pragma once
#include "sim/timed/ofm_writer.hpp"
#include "sim/timed/pipeline.hpp"
#include "sim/timed/traversal.hpp"
#include "sim/timed/u55_u65/ifm_loader.hpp"
#include "sim/timed/u55_u65/mac_array.hpp"
#include "sim/timed/u55_u65/output_unit.hpp"
#include "sim/timed/u55_u65/weight_decoder.hpp"

namespace macaw::npu::timed::u55_u65 {

/// The units of U55 and U65 with the queues between them; it has no process of its own.
class Pipeline : public timed::Pipeline {
 public:
  Pipeline(const sc_core::sc_module_name& name, const CoreConfig& config, const PipelineBindings& bindings, Pmu& pmu);
  [[nodiscard]] std::string queues() const override;
  void restart() override;

 private:
  SharedRam ram_;
  Traversal traversal_;
  IfmLoader ifm_loader_;
  WeightDecoder weight_decoder_;
  MacArray mac_array_;
  OutputUnit output_unit_;
  OfmWriter ofm_writer_;

  Fifo<IfmStepRef> ifm_steps_, weight_steps_, mac_steps_, elementwise_steps_;
  Fifo<JobRef> blocks_, accumulated_;
  Fifo<std::uint64_t> weight_blocks_;
  Fifo<OutputSlice> slices_;
};

}  // namespace macaw::npu::timed::u55_u65
