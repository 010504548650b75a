#include "app/output_file.hpp"

#include <fmt/format.h>

#include <set>

#include "base/file.hpp"
#include "base/json_text.hpp"

namespace macaw::app {

Result<void> check_output(const std::filesystem::path& file, bool force) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
  if (!force && is_there && !io::is_written_in_place(file))
    return fail(ErrorCode::kUsage, "the file exists; --force overwrites it", {.file = file.string()});
  return {};
}

Result<void> check_outputs(std::span<const std::filesystem::path> files, bool force) {
  std::set<std::filesystem::path> seen;
  for (const auto& file : files) {
    MACAW_CHECK(check_output(file, force));
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(file, unknown);
    const auto real = std::filesystem::weakly_canonical(whole, unknown);
    if (!io::is_written_in_place(file) && !seen.insert(unknown ? whole : real).second)
      return fail(ErrorCode::kUsage, "two outputs have this name", {.file = file.string()});
  }
  return {};
}

void say_written(const std::filesystem::path& file) {
  if (!io::is_written_in_place(file)) fmt::print("{} written\n", io::valid_utf8(file.string()));
}

Result<void> write_output(const std::filesystem::path& file, std::span<const std::byte> bytes, bool force) {
  MACAW_CHECK(check_output(file, force));
  return io::write_file(file, bytes, existing(force));
}

}  // namespace macaw::app
