#include "app/batch/sim.hpp"

#include <macaw/npu/run.hpp>

#include "app/batch/ports.hpp"

namespace macaw::app {
Result<BatchResult> simulate_batch(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                   const BatchOptions& options, std::optional<std::int64_t> max_work) {
  const Ports ports(artifact, options.fit);
  BatchOptions batch = options;
  batch.fit = ports.fit;
  const std::size_t outputs = artifact.outputs.size();
  MACAW_ASSIGN(const auto network, npu::PreparedNetwork::create(std::move(artifact), accelerator));
  npu::FunctionalOptions functional;
  if (max_work) functional.max_work = *max_work;
  return run_batch(batch, ports.ports, outputs, "sim", [&](std::vector<Tensor> inputs) -> Result<std::vector<Tensor>> {
    MACAW_ASSIGN(auto run, npu::execute(network, ports.named(std::move(inputs)), functional));
    return std::move(run.outputs);
  });
}

}  // namespace macaw::app
