#pragma once
#include <macaw/error.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::sweep {

/// 32 hexadecimal digits.
[[nodiscard]] std::string hash(std::string_view text);

[[nodiscard]] Result<std::string> contents(const std::filesystem::path& file);

/// A hash of a file, or of the files of a folder with their names.
[[nodiscard]] Result<std::string> content_hash(const std::filesystem::path& file_or_folder);

/// Expands a pattern with * and ?, sorted by name. kIo if nothing matches.
[[nodiscard]] Result<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& pattern);

}  // namespace macaw::sweep
