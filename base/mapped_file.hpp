#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include <macaw/error.hpp>

namespace macaw::io {

struct FileContents {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< keeps them alive
};

/// Whole contents of a file. A large one is mapped: a page of it takes memory and time when it is looked at, the first
/// byte lies at the beginning of a page, and the file must not change meanwhile. Others are read as by read_file().
[[nodiscard]] Result<FileContents> map_file(const std::filesystem::path& file);

}  // namespace macaw::io
