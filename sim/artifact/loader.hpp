#pragma once
#include <macaw/npu/artifact.hpp>

#include "sim/artifact/bindings.hpp"
#include "sim/artifact/driver_payload.hpp"
#include "sim/artifact/named_data.hpp"

// Functions shared by the formats.
namespace macaw::npu {

[[nodiscard]] Result<Artifact> parse_vela_npz(std::span<const std::byte> bytes, const std::string& name);
[[nodiscard]] Result<Artifact> parse_vela_tflite(std::span<const std::byte> bytes, const std::string& name);
/// `external`: blocks that the stream names by key; null: there are none. `weights`: receives the bytes of the first
/// memory, which then has no contents; null: the memory has the contents.
[[nodiscard]] Result<Artifact> parse_vela_bin(std::span<const std::byte> bytes, const std::string& name,
                                              const NamedData* external = nullptr,
                                              std::span<const std::byte>* weights = nullptr);
[[nodiscard]] Result<Artifact> parse_executorch(std::span<const std::byte> bytes, const std::string& name,
                                                const std::string& method, std::span<const ExternalData> data);
[[nodiscard]] bool is_vela_bin(std::span<const std::byte> bytes);

/// Adds the streams of a payload as steps, all with these regions, and determines the artifact's accelerator.
[[nodiscard]] Result<void> add_payload(Artifact& artifact, DriverPayload payload, const std::string& name,
                                       const std::array<RegionBinding, 8>& regions);

}  // namespace macaw::npu
