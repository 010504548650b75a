#include "app/batch/ports.hpp"

#include "app/input_folder.hpp"

namespace macaw::app {

Ports::Ports(const npu::Artifact& artifact, InputFit allowed) : fit(allowed) {
  for (const auto& input : artifact.inputs) {
    if (input.memory < 0) continue;
    const DType by_size = input.element_size == 2   ? DType::kINT16
                          : input.element_size == 4 ? DType::kINT32
                          : input.element_size == 8 ? DType::kINT64
                                                    : DType::kINT8;
    ports.push_back({input.name, input.dtype.value_or(by_size), input.shape, !input.dtype});
    names.push_back(input.name);
  }
}

std::vector<npu::NamedTensor> Ports::named(std::vector<Tensor> inputs) const {
  std::vector<npu::NamedTensor> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back({names[i], std::move(inputs[i])});
  return all;
}

Result<std::vector<npu::NamedTensor>> read_input_set(const std::filesystem::path& set, const npu::Artifact& artifact) {
  const Ports ports(artifact, {});
  MACAW_ASSIGN(auto tensors, read_input_set(set, ports.ports, {.fit = ports.fit}));
  return ports.named(std::move(tensors));
}

}  // namespace macaw::app
