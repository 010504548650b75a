#pragma once
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "workflow/compare/trace/trace.hpp"

namespace macaw::compare {

/// Elements that an operation wrote, [height, width, depth] as stored in memory; empty if none of them are kept.
[[nodiscard]] Result<std::optional<Tensor>> written_tensor(const Record& record);

/// The result of an operation, for the file NUMBER_NAME.npy. NAME is the tensor that a debug database names, else the
/// command; '/' is '_'.
struct WrittenTensor {
  std::string file;
  Tensor tensor;
};
/// In execution order; operations that write nothing are left out.
[[nodiscard]] Result<std::vector<WrittenTensor>> written_tensors(const npu::Artifact& artifact,
                                                                 const std::vector<Record>& records);

/// Adds written_tensors() as files of a folder.
[[nodiscard]] Result<void> add_tensors(io::FileSet& files, const std::filesystem::path& folder,
                                       const npu::Artifact& artifact, const std::vector<Record>& records);

}  // namespace macaw::compare
