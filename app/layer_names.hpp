#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <filesystem>
#include <vector>

namespace macaw::app {

/// compare::name_operations() with the network of a file (.tosa or .tflite); without inputs, on random ones.
[[nodiscard]] Result<void> name_layers(const std::filesystem::path& graph, const npu::Artifact& artifact,
                                       const npu::Accelerator& accelerator, const std::vector<npu::NamedTensor>& inputs,
                                       std::vector<npu::OperationTiming>& operations);

}  // namespace macaw::app
