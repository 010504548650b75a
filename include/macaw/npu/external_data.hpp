#pragma once
#include <macaw/npu/artifact.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace macaw::npu {

/// A file of external data of an ExecuTorch program (.ptd): weights, or blocks of a delegate, which the program names
/// by key. The bytes must outlive the call that reads them.
struct ExternalData {
  std::string file;  ///< for messages
  std::span<const std::byte> bytes;
};

/// As parse_artifact() and load_artifact(), for an ExecuTorch program and its external data. Of a key that several
/// files have the first counts; the program's own data come before all of them. Errors: theirs; kUsage for another
/// format than ExecuTorch where there are external data; kInvalidFile for a .ptd that is malformed, or whose tensors
/// have another type or shape than the program says.
[[nodiscard]] Result<Artifact> parse_artifact(std::span<const std::byte> bytes, const std::string& name,
                                              const std::string& method, std::span<const ExternalData> data);
[[nodiscard]] Result<Artifact> load_artifact(const std::filesystem::path& file, const std::string& method,
                                             const std::filesystem::path& debug_database,
                                             const std::vector<std::filesystem::path>& data);

}  // namespace macaw::npu
