#pragma once
#include <macaw/ethosu_linux/ethosu.hpp>
#include <macaw/npu/artifact.hpp>

namespace EthosU {

/// The source of a network: a complete one, or a command stream to which an inference adds the memories.
struct Network::Compiled {
  const macaw::npu::Accelerator& accelerator;
  std::string system;
  std::vector<std::byte> stream;  ///< empty: `artifact` is a whole network
  macaw::npu::Artifact artifact;
};

/// A bare command stream with the memories of an inference. Inputs and outputs occupy one region each, one behind the
/// other.
[[nodiscard]] macaw::npu::Artifact with_memories(const std::vector<std::byte>& stream, const Inference::Buffers& ifm,
                                                 const Inference::Buffers& ofm, const Buffer* intermediate,
                                                 const Buffer* constant);

}  // namespace EthosU
