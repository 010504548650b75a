#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace macaw {

/// What was changed in a compiled network, and the operation that it is for.
struct Corruption {
  std::string what;  ///< "weight byte 17 of 300"
  std::size_t step = 0;
  std::uint32_t command = 0;  ///< of the operation
};

/// Changes one command word, weight byte or scale byte of an operation drawn at random. Nothing if the drawn operation
/// has none of the drawn kind.
[[nodiscard]] std::optional<Corruption> corrupt(npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                                std::mt19937& random);

}  // namespace macaw
