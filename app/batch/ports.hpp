#pragma once
#include <macaw/npu/simulator.hpp>

#include <macaw/input_fit.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace macaw::app {

/// Inputs that a compiled network reads, with their names. A raw npz states the size of elements but not their type:
/// they count as signed integers, as outputs of a single run do, and integers of either sign are accepted.
struct Ports {
  std::vector<InputPort> ports;
  std::vector<std::string> names;
  InputFit fit;

  Ports(const npu::Artifact& artifact, InputFit fit);

  /// Tensors in the order of the ports, with their names.
  [[nodiscard]] std::vector<npu::NamedTensor> named(std::vector<Tensor> inputs) const;
};

/// A set of inputs (app/input_folder.hpp) for a compiled network.
[[nodiscard]] Result<std::vector<npu::NamedTensor>> read_input_set(const std::filesystem::path& set,
                                                                   const npu::Artifact& artifact);

}  // namespace macaw::app
