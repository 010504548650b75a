#pragma once
#include <macaw/npu/artifact.hpp>

// Whether what an artifact says about its memories can be true. Loaders ask before they hand an artifact out, and the
// machine before it runs one that a program has made.
namespace macaw::npu {

/// Bytes that a tensor covers; a kInvalidFile error if its shape is not countable.
[[nodiscard]] Result<std::uint64_t> byte_size(const TensorBinding& tensor, const std::string& file);

/// Every region of a stream lies inside its memory; else kInvalidFile.
[[nodiscard]] Result<void> check_regions(const Artifact& artifact, const CommandStream& stream);

/// Every tensor and region lies inside its memory and no memory has more contents than bytes, else kInvalidFile; all
/// memories together have at most kMaxMemory bytes, else kUnsupported. A tensor in no memory is left to those who need
/// it.
[[nodiscard]] Result<void> check_bindings(const Artifact& artifact);

}  // namespace macaw::npu
