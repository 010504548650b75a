#include "workflow/sweep/content.hpp"

#include <fmt/format.h>
#include <glob.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "base/file.hpp"

namespace macaw::sweep {

std::string hash(std::string_view text) {
  const auto value = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

Result<std::string> contents(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<std::string> content_hash(const std::filesystem::path& file_or_folder) {
  std::error_code status;
  if (!std::filesystem::is_directory(file_or_folder, status)) {
    MACAW_ASSIGN(const auto text, contents(file_or_folder));
    return hash(text);
  }
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(file_or_folder, status), end; !status && it != end; it.increment(status))
    files.push_back(it->path());
  if (status) return fail(ErrorCode::kIo, status.message(), {.file = file_or_folder.string()});
  std::ranges::sort(files);
  std::string all;
  for (const auto& file : files) {
    MACAW_ASSIGN(const auto text, contents(file));
    all += fmt::format("{}\n{}\n", file.filename().string(), hash(text));
  }
  return hash(all);
}

Result<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& pattern) {
  glob_t found{};
  std::vector<std::filesystem::path> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  if (files.empty()) return fail(ErrorCode::kIo, "no such file", {.file = pattern.string()});
  return files;
}

}  // namespace macaw::sweep
