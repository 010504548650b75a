#pragma once
#include <macaw/npu/simulator.hpp>

#include <macaw/input_fit.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace macaw::app {

/// Inputs that a compiled network reads, with their names. The elements of a raw npz have a size and no type: they are
/// taken as signed integers, as a single run gives them back, and integers of either sign are taken for these.
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
