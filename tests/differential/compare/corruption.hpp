#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>

namespace macaw {

/// A change of a compiled network and the operation that it affects.
struct Corruption {
  std::string what;  ///< "weight byte 17 of 300"
  std::size_t step = 0;
  std::uint32_t command = 0;  ///< of the operation
};

enum class Corrupted : std::uint8_t {
  kCommand,  ///< any register
  kWeight,   ///< an encoded byte
  kScale,    ///< of a channel: multiplier or shift
  kTable,
  kBias,       ///< of a channel
  kStride,     ///< register of a feature map
  kAddress,    ///< register of a feature map
  kZeroPoint,  ///< register of a feature map
  kRemoved,    ///< the operation is left out
  kSwapped,    ///< it takes one operand for the other
};

/// Changes one bit of a register, weight, bias, scale or table of an operation drawn at random, or what the kind says;
/// `kind` empty: a drawn one of the first three. Nothing if the drawn operation has none of the kind.
[[nodiscard]] std::optional<Corruption> corrupt(npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                                std::mt19937& random, std::optional<Corrupted> kind = {});

}  // namespace macaw
