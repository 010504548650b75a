#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <macaw/temporary_file.hpp>

namespace macaw::app {

/// Sets the arguments of the call, from which check_output() derives whether a file is also an input.
void set_words_of_call(std::vector<std::string> words);
/// kUsage if the file, or a link of that name, exists without `force`, or if another argument of the call names it: no
/// output replaces an input. Files that are written in place (a device, a FIFO) do not need `force`.
[[nodiscard]] Result<void> check_output(const std::filesystem::path& file, bool force);
/// The same for all files that a call writes; also kUsage if two are the same file.
[[nodiscard]] Result<void> check_outputs(std::span<const std::filesystem::path> files, bool force);
/// Policy for files that were created after the check.
[[nodiscard]] constexpr io::Existing existing(bool force) {
  return force ? io::Existing::kReplaced : io::Existing::kKept;
}
/// Adds to an error of writing `file` the name of the file.
template <class T>
[[nodiscard]] Result<T> named(Result<T> result, const io::TemporaryFile& file, const std::string& target) {
  if (!result && result.error().place.file == file.path()) result.error().place.file = target;
  return result;
}
/// Prints "FILE written", except for a file that is written in place, which may be standard output.
void print_written(const std::filesystem::path& file);
[[nodiscard]] Result<void> write_output(const std::filesystem::path& file, std::span<const std::byte> bytes,
                                        bool force);

}  // namespace macaw::app
