#pragma once
#include <macaw/npu/run.hpp>

#include <filesystem>
#include <functional>

#include "workflow/golden/manifest.hpp"

namespace macaw::golden {

/// A step of a sequence: its inputs in the network's order and the variables before it.
struct GoldenStep {
  std::size_t index = 0;
  std::vector<npu::NamedTensor> inputs, variables;
};

/// Runs the sequence of a network functionally and calls `record` for each step. Inputs are the arrays of
/// Network::inputs, with the steps along their first axis, for the inputs that nothing else feeds, or random ones of
/// the seed plus the number of the step.
[[nodiscard]] Result<void> for_each_step(const Network& network, const npu::Artifact& artifact,
                                         const npu::Accelerator& accelerator, const std::filesystem::path& folder,
                                         const std::function<Result<void>(const GoldenStep&)>& record);

}  // namespace macaw::golden
