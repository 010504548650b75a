#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

/// A file of external data of an ExecuTorch program (.ptd): weights, or blocks of a delegate, which the program refers
/// to by key. The bytes must outlive the call that reads them.
struct ExternalData {
  std::string file;  ///< for messages
  std::span<const std::byte> bytes;
};

/// Like parse_artifact() and load_artifact(), for an ExecuTorch program with external data. If several files have a
/// key, the first one is used; the program's own data precede all of them. Errors: those of the two functions; kUsage
/// for external data with another format than ExecuTorch; kInvalidFile for a .ptd that is malformed, or whose tensors
/// differ in type or shape from the program's.
[[nodiscard]] Result<Artifact> parse_artifact(std::span<const std::byte> bytes, const std::string& name,
                                              const std::string& method, std::span<const ExternalData> data);
[[nodiscard]] Result<Artifact> load_artifact(const std::filesystem::path& file, const std::string& method,
                                             const std::filesystem::path& debug_database,
                                             const std::vector<std::filesystem::path>& data);

}  // namespace macaw::npu
