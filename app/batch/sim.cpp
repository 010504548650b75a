#include "app/batch/sim.hpp"

#include <algorithm>

#include <macaw/npu/run.hpp>

#include "app/batch/inputs.hpp"
#include "app/batch/ports.hpp"
#include "app/exclusive_options.hpp"
#include "workflow/compare/trace/tensor_dump.hpp"

namespace macaw::app {
namespace {

/// The results of every operation go into files behind the outputs. `ports`: of the artifact.
Result<BatchResult> simulate_and_dump(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                      const Ports& ports, BatchOptions batch, const std::filesystem::path& folder) {
  const auto trace_set = [&](std::vector<Tensor> inputs) {
    return compare::trace_program(artifact, accelerator, ports.named(std::move(inputs)), false);
  };
  // The files are those of the first set.
  MACAW_ASSIGN(const auto sets, BatchInputs::open(batch.inputs, ports.ports,
                                                  {.fit = ports.fit, .raw = batch.raw, .labels = batch.labels}));
  MACAW_ASSIGN(auto inputs, sets.get(0));
  MACAW_ASSIGN(const auto first, trace_set(std::move(inputs)));
  MACAW_ASSIGN(const auto written, compare::written_tensors(artifact, first.records));
  for (const auto& one : written) batch.tensor_files.push_back(folder / one.file);
  const auto run_set = [&](std::vector<Tensor> set) -> Result<std::vector<Tensor>> {
    MACAW_ASSIGN(auto trace, trace_set(std::move(set)));
    MACAW_ASSIGN(auto tensors, compare::written_tensors(artifact, trace.records));
    if (!std::ranges::equal(tensors, written, {}, &compare::WrittenTensor::file, &compare::WrittenTensor::file))
      return fail(ErrorCode::kUnsupported, "--dump-tensors: other operations run than with the first set",
                  {.file = artifact.file});
    for (auto& one : tensors) trace.outputs.push_back(std::move(one.tensor));
    return std::move(trace.outputs);
  };
  return run_batch(batch, ports.ports, artifact.outputs.size(), "sim", run_set);
}

}  // namespace

Result<BatchResult> simulate_batch(npu::Artifact artifact, const npu::Accelerator& accelerator,
                                   const BatchOptions& options, const BatchRun& run) {
  const Ports ports(artifact, options.fit);
  BatchOptions batch = options;
  batch.fit = ports.fit;
  if (!run.dump_dir.empty()) {
    MACAW_CHECK(exclude("--dump-tensors", {{"--max-work with --inputs", run.max_work.has_value()}}));
    return simulate_and_dump(artifact, accelerator, ports, std::move(batch), run.dump_dir);
  }
  const std::size_t outputs = artifact.outputs.size();
  MACAW_ASSIGN(const auto network, npu::PreparedNetwork::create(std::move(artifact), accelerator));
  npu::FunctionalOptions functional;
  if (run.max_work) functional.max_work = *run.max_work;
  const auto run_set = [&](std::vector<Tensor> inputs) -> Result<std::vector<Tensor>> {
    MACAW_ASSIGN(auto result, npu::execute(network, ports.named(std::move(inputs)), functional));
    return std::move(result.outputs);
  };
  return run_batch(batch, ports.ports, outputs, "sim", run_set);
}

}  // namespace macaw::app
