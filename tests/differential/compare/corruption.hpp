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

enum class Corrupted : std::uint8_t { kCommand, kWeight, kScale, kTable };

/// Changes one bit of a command word, weight, scale or table of an operation drawn at random; `kind` empty: a drawn one
/// but tables. Nothing if the drawn operation has none of the kind.
[[nodiscard]] std::optional<Corruption> corrupt(npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                                std::mt19937& random, std::optional<Corrupted> kind = {});

}  // namespace macaw
