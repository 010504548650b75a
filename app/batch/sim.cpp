#include "app/batch/sim.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <macaw/npu/prepared_network.hpp>
#include <macaw/tflite/host_operators.hpp>

#include "app/output_file.hpp"

namespace macaw::app {
namespace {

/// Inputs that the network reads, with their places among all. The elements of a raw npz have a size and no type: they
/// are taken as signed integers, as a single run gives them back.
struct Ports {
  std::vector<InputPort> ports;
  std::vector<std::string> names;
  bool typed = true;

  explicit Ports(const npu::Artifact& artifact) {
    for (const auto& input : artifact.inputs) {
      if (input.memory < 0) continue;
      const DType by_size = input.element_size == 2   ? DType::kINT16
                            : input.element_size == 4 ? DType::kINT32
                            : input.element_size == 8 ? DType::kINT64
                                                      : DType::kINT8;
      typed = typed && input.dtype;
      ports.push_back({input.name, input.dtype.value_or(by_size), input.shape});
      names.push_back(input.name);
    }
  }
};

}  // namespace

Result<BatchResult> simulate_batch(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                   const BatchOptions& options, std::optional<std::uint64_t> max_work) {
  for (std::size_t i = 0; !options.output_dir.empty() && i < artifact.outputs.size(); ++i)
    MACAW_CHECK(check_output(options.output_dir / fmt::format("output_{}.npy", i), options.force));
  const Ports ports(artifact);
  BatchOptions batch = options;
  // Bytes of either sign are what a network without types takes.
  if (!ports.typed) batch.fit.reinterpret = true;
  MACAW_ASSIGN(const auto network, npu::PreparedNetwork::create(std::move(artifact), accelerator));
  npu::FunctionalOptions functional;
  functional.host = &tflite::host_operators();
  if (max_work) functional.max_work = static_cast<std::int64_t>(std::min<std::uint64_t>(*max_work, INT64_MAX));
  return run_batch(batch, ports.ports, "sim", [&](std::vector<Tensor> inputs) -> Result<std::vector<Tensor>> {
    std::vector<npu::NamedTensor> named;
    for (std::size_t i = 0; i < inputs.size(); ++i) named.push_back({ports.names[i], std::move(inputs[i])});
    MACAW_ASSIGN(auto run, network.run(named, functional));
    return std::move(run.outputs);
  });
}

}  // namespace macaw::app
