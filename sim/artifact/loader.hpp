#pragma once
#include <macaw/npu/artifact.hpp>

#include "sim/artifact/driver_payload.hpp"

// What the formats share.
namespace macaw::npu {

[[nodiscard]] Result<Artifact> parse_vela_npz(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<Artifact> parse_vela_tflite(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<Artifact> parse_vela_bin(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<Artifact> parse_executorch(std::span<const std::byte> bytes, const std::string& name,
                                                const std::string& method);
[[nodiscard]] bool is_vela_bin(std::span<const std::byte> bytes);

/// No memory of an artifact may be larger: the address space of U65 and U85 regions is 40 bits, but what a network
/// can hold is bounded by the offsets that Vela writes.
inline constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 32;

/// Bytes that the binding covers; a kInvalidFile error if the shape is not countable.
[[nodiscard]] Result<std::uint64_t> byte_size(const TensorBinding& tensor, const std::string& file);

/// Adds the streams of a payload as steps, all with these regions, and settles the artifact's accelerator.
[[nodiscard]] Result<void> add_payload(Artifact& artifact, DriverPayload payload, const std::string& name,
                                       const std::array<RegionBinding, 8>& regions);

/// Every binding and region inside its memory, every memory at most kMaxMemory.
[[nodiscard]] Result<void> check_bindings(const Artifact& artifact);

}  // namespace macaw::npu
