#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace macaw::npu {

/// The words that Arm's driver accepts for a job: driver actions of COP1, with the stream at a multiple of 16 bytes.
/// Configuration and architecture are those that the stream states; zeros if it states none.
[[nodiscard]] std::vector<std::uint32_t> driver_payload(const CommandStream& stream);

/// Writes a network of one NPU job as Vela does: a .tflite with one `ethos-u` operator, constants in a tensor of their
/// own, and inputs and outputs at their places in one arena. load_artifact() reads it back, and TensorFlow Lite for
/// Microcontrollers runs it.
///
/// Errors: kUnsupported names what such a file cannot represent: several jobs, operators for the CPU, variables,
/// tensors without a type, memories other than constants and one arena.
[[nodiscard]] Result<std::vector<std::byte>> to_vela_tflite(const Artifact& artifact);

}  // namespace macaw::npu
