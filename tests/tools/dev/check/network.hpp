#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <macaw/npu/artifact.hpp>

#include "tests/tools/dev/check/case.hpp"

namespace macaw::app::check {

/// Loads an artifact and settles its accelerator: the file's own, or `accelerator` where the file does not say.
/// A contradiction between the two is an error.
struct Network {
  npu::Artifact artifact;
  const npu::Accelerator* accelerator = nullptr;
};
[[nodiscard]] Result<Network> load_network(const std::filesystem::path& file, const std::string& accelerator);

/// Runs a network on given inputs.
[[nodiscard]] Result<std::vector<Tensor>> run_network(const Network& network, const std::vector<Tensor>& inputs,
                                                      const RunOptions& options);

/// Runs twice and compares the outputs; in timed mode also with those of a functional run.
[[nodiscard]] Result<void> run_repeatably(const Network& network, const std::vector<Tensor>& inputs,
                                          const RunOptions& options);

/// Inputs from files, in the network's order.
[[nodiscard]] Result<std::vector<Tensor>> read_inputs(const std::vector<std::filesystem::path>& files);

}  // namespace macaw::app::check
