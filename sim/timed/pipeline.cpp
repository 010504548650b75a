#include "sim/timed/pipeline.hpp"

#include "sim/timed/u55_u65/pipeline.hpp"
#include "sim/timed/u85/pipeline.hpp"

namespace macaw::npu::timed {

std::unique_ptr<Pipeline> make_pipeline(const sc_core::sc_module_name& name, const CoreConfig& config,
                                        const PipelineBindings& bindings, Pmu& pmu) {
  if (config.accelerator.family == Family::kU85) return std::make_unique<u85::Pipeline>(name, config, bindings, pmu);
  return std::make_unique<u55_u65::Pipeline>(name, config, bindings, pmu);
}

}  // namespace macaw::npu::timed
