#pragma once
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::compare {

/// Elements that an operation wrote, [height, width, depth] as it lies in memory; without a value if it wrote nothing that is
/// kept.
[[nodiscard]] Result<std::optional<Tensor>> written_tensor(const Record& record);

/// Adds what every operation wrote as NUMBER_NAME.npy, [height, width, depth] as it lies in memory. NAME is the tensor
/// that a debug database names, else the command; '/' is '_'. Operations that write nothing are left out.
[[nodiscard]] Result<void> add_tensors(io::FileSet& files, const std::filesystem::path& folder,
                                       const npu::Artifact& artifact, const std::vector<Record>& records);

}  // namespace macaw::compare
