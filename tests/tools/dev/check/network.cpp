#include "tests/tools/dev/check/network.hpp"

#include <fmt/format.h>

#include <macaw/npu/run.hpp>
#include <macaw/npy.hpp>

#include <macaw/npu/choose_accelerator.hpp>

#include "app/command.hpp"

namespace macaw::app::check {

Result<Network> load_network(const std::filesystem::path& file, const std::string& accelerator) {
  Network network;
  MACAW_ASSIGN(network.artifact, npu::load_artifact(file));
  MACAW_ASSIGN(network.accelerator, npu::choose_accelerator(network.artifact, accelerator));
  return network;
}

Result<std::vector<Tensor>> run_network(const Network& network, const std::vector<Tensor>& inputs,
                                        const RunOptions& options) {
  std::vector<npu::NamedTensor> named;
  for (const auto& tensor : inputs) named.push_back({"", tensor});
  FindingList findings(options.findings);
  npu::RunSpec spec{.artifact = network.artifact, .accelerator = *network.accelerator, .inputs = named};
  if (options.mode != Mode::kTimed) spec.mode = npu::RunMode::kFunctional;
  spec.options.functional.findings = findings.sink();
  auto record = npu::execute(spec);
  if (record) MACAW_CHECK(findings.verdict(network.artifact.file));
  if (!findings.findings().empty())
    print_stdout("{}", findings.to_text(fmt::format("FINDING {}: ", network.artifact.file)));
  MACAW_CHECK(record);
  return std::move(record->values.outputs);
}

Result<void> run_repeatably(const Network& network, const std::vector<Tensor>& inputs, const RunOptions& options) {
  MACAW_ASSIGN(const auto first, run_network(network, inputs, options));
  MACAW_ASSIGN(const auto second, run_network(network, inputs, options));
  if (first != second) return fail(ErrorCode::kMismatch, "a second run gives other outputs");
  if (options.mode != Mode::kTimed) return {};
  auto functional = options;
  functional.mode = Mode::kFunctional;
  MACAW_ASSIGN(const auto untimed, run_network(network, inputs, functional));
  if (first != untimed) return fail(ErrorCode::kMismatch, "a functional run gives other outputs than a timed one");
  return {};
}

Result<std::vector<Tensor>> read_inputs(const std::vector<std::filesystem::path>& files) {
  std::vector<Tensor> inputs;
  for (const auto& file : files) {
    MACAW_ASSIGN(auto tensor, read_tensor(file));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace macaw::app::check
