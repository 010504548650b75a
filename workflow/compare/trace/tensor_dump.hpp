#pragma once
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::compare {

/// Elements that an operation wrote, [height, width, depth] as stored in memory; empty if none of them are kept.
[[nodiscard]] Result<std::optional<Tensor>> written_tensor(const Record& record);

/// Adds the result of every operation as NUMBER_NAME.npy, [height, width, depth] as stored in memory. NAME is the
/// tensor's name from a debug database, else the command's; '/' becomes '_'. Operations that write nothing are left
/// out.
[[nodiscard]] Result<void> add_tensors(io::FileSet& files, const std::filesystem::path& folder,
                                       const npu::Artifact& artifact, const std::vector<Record>& records);

}  // namespace macaw::compare
