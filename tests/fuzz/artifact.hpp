#pragma once
#include <macaw/npu/timed_simulator.hpp>
#include <macaw/tflite/host_operators.hpp>

#include <utility>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace macaw::fuzz {

/// Limits that end a run in well under a second.
inline npu::FunctionalOptions small_limits() {
  npu::FunctionalOptions options;
  options.max_work = std::int64_t{1} << 28;  // 500 operations
  options.findings = [](const npu::Finding& finding) {
    if (finding.to_string().empty()) __builtin_trap();
  };
  return options;
}

/// Inputs of zeros; nothing if one has no type or is too large.
inline std::vector<npu::NamedTensor> zeros(const npu::Artifact& artifact) {
  std::vector<npu::NamedTensor> inputs;
  for (const auto& binding : artifact.inputs) {
    const auto count = element_count(binding.shape, binding.element_size);
    constexpr DType kTypes[] = {DType::kINT8, DType::kINT16, DType::kINT32, DType::kINT64};
    const int type = binding.element_size == 1 ? 0 : binding.element_size == 2 ? 1 : binding.element_size == 4 ? 2 : 3;
    if (!count || *count > 1 << 20) return {};
    inputs.push_back({"", Tensor(binding.dtype.value_or(kTypes[type]), binding.shape)});
  }
  return inputs;
}

inline bool is_small(const npu::Artifact& artifact) {
  std::uint64_t bytes = 0;
  for (const auto& memory : artifact.memories) bytes += memory.size;
  return bytes < 1 << 24;
}

inline void run(const npu::Artifact& artifact, const npu::HostOperators* host) {
  if (!is_small(artifact)) return;
  auto options = small_limits();
  options.host = host;
  const auto* accelerator = artifact.accelerator ? artifact.accelerator : npu::find_accelerator("ethos-u55-128");
  expect_message(npu::run_functional(artifact, *accelerator, zeros(artifact), options));
}

}  // namespace macaw::fuzz
