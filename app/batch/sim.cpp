#include "app/batch/sim.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/npu/prepared_network.hpp>

#include "app/batch/ports.hpp"
#include "app/output_file.hpp"
#include "app/program_file.hpp"

namespace macaw::app {
Result<BatchResult> simulate_batch(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                   const BatchOptions& options, std::optional<std::uint64_t> max_work) {
  for (std::size_t i = 0; !options.output_dir.empty() && i < artifact.outputs.size(); ++i)
    MACAW_CHECK(check_output(options.output_dir / fmt::format("output_{}.npy", i), options.force));
  const Ports ports(artifact, options.fit);
  BatchOptions batch = options;
  batch.fit = ports.fit;
  MACAW_ASSIGN(const auto network, npu::PreparedNetwork::create(std::move(artifact), accelerator));
  npu::FunctionalOptions functional;
  functional.host = host_operators();
  if (max_work) functional.max_work = static_cast<std::int64_t>(std::min<std::uint64_t>(*max_work, INT64_MAX));
  return run_batch(batch, ports.ports, "sim", [&](std::vector<Tensor> inputs) -> Result<std::vector<Tensor>> {
    MACAW_ASSIGN(auto run, network.run(ports.named(std::move(inputs)), functional));
    return std::move(run.outputs);
  });
}

}  // namespace macaw::app
