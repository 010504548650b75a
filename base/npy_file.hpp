#pragma once
#include <filesystem>

#include <macaw/tensor.hpp>

#include "base/file.hpp"

namespace macaw::io {

/// Adds the .npy that write_tensor() writes, without a copy of the tensor.
[[nodiscard]] Result<void> add_tensor(FileSet& files, const std::filesystem::path& file, const Tensor& tensor);

}  // namespace macaw::io
