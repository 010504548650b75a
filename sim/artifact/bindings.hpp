#pragma once
#include <macaw/npu/artifact.hpp>

// Checks of what an artifact states about its memories. Loaders run them before they return an artifact, and the
// machine before it runs one that a program has created.
namespace macaw::npu {

/// Returns the number of bytes that a tensor covers; kInvalidFile if its shape has no valid element count.
[[nodiscard]] Result<std::uint64_t> byte_size(const TensorBinding& tensor, const std::string& file);

/// Checks that every region of a stream lies inside its memory; otherwise kInvalidFile.
[[nodiscard]] Result<void> check_regions(const Artifact& artifact, const CommandStream& stream);

/// Checks that every tensor and region lies inside its memory and no memory has more contents than bytes (otherwise
/// kInvalidFile), and that all memories together have at most kMaxMemory bytes (otherwise kUnsupported). Tensors
/// without a memory are checked where they are used.
[[nodiscard]] Result<void> check_bindings(const Artifact& artifact);

}  // namespace macaw::npu
