#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <macaw/error.hpp>

#include <macaw/temporary_file.hpp>

namespace macaw::io {

/// An error if it is empty (kUsage), or has a byte of zero, where the system would take it to end (kIo).
[[nodiscard]] Result<void> check_name(const std::filesystem::path& file);

/// Whole contents of a file. What cannot seek (a FIFO, a device) is read to its end; "-" is standard input.
/// kIo for a file of more than memory has room for, and for what says no size and has more than 256 MiB: it may be
/// endless.
[[nodiscard]] Result<std::vector<std::byte>> read_file(const std::filesystem::path& file);

/// Writes beside the target and renames, so that a file is either old, absent or complete. Symbolic links are followed;
/// anything but a regular file (a device, a FIFO) is written in place.
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::span<const std::byte> bytes,
                                      Existing existing = Existing::kReplaced);
[[nodiscard]] Result<void> write_file(const std::filesystem::path& file, std::string_view text,
                                      Existing existing = Existing::kReplaced);

/// Files that appear together: each is complete before the first one gets its name.
class FileSet {
 public:
  explicit FileSet(Existing existing = Existing::kReplaced) : existing_(existing) {}
  /// A file of these bytes and then, if any, of `more`.
  [[nodiscard]] Result<void> add(const std::filesystem::path& file, std::span<const std::byte> bytes,
                                 std::span<const std::byte> more = {});
  [[nodiscard]] Result<void> add(const std::filesystem::path& file, std::string_view text);
  /// Gives the files their names in the order in which they were added, while no other process does so in the folder of
  /// the last: of two sets for the same names one is there as a whole.
  [[nodiscard]] Result<void> publish();

 private:
  Existing existing_;
  std::vector<TemporaryFile> files_;
};

/// kInvalidFile if writing `file` would write outside of `folder`, symbolic links considered. For every file whose name
/// another file supplies; `folder` exists.
[[nodiscard]] Result<void> check_inside(const std::filesystem::path& folder, const std::filesystem::path& file);

/// mkdir -p.
[[nodiscard]] Result<void> make_directory(const std::filesystem::path& directory);

}  // namespace macaw::io
