#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <macaw/temporary_file.hpp>

namespace macaw::app {

/// The arguments of the call, by which check_output() finds out whether a file is an input of it as well.
void set_words_of_call(std::vector<std::string> words);
/// kUsage if the file, or a link of that name, exists and `force` was not given, or if another argument of the call
/// names it: no output replaces an input. What is written in place (a device, a FIFO) needs no `force`.
[[nodiscard]] Result<void> check_output(const std::filesystem::path& file, bool force);
/// The same of all files that a call writes; kUsage as well if two are one, as the later would take the place of the
/// earlier.
[[nodiscard]] Result<void> check_outputs(std::span<const std::filesystem::path> files, bool force);
/// Policy for files that were created after the check.
[[nodiscard]] constexpr io::Existing existing(bool force) {
  return force ? io::Existing::kReplaced : io::Existing::kKept;
}
/// The result of writing `file`, where an error names the file that it is to become.
template <class T>
[[nodiscard]] Result<T> named(Result<T> result, const io::TemporaryFile& file, const std::string& target) {
  if (!result && result.error().place.file == file.path()) result.error().place.file = target;
  return result;
}
/// Prints "FILE written", but not to a file that is written in place: that may be standard output.
void say_written(const std::filesystem::path& file);
[[nodiscard]] Result<void> write_output(const std::filesystem::path& file, std::span<const std::byte> bytes,
                                        bool force);

}  // namespace macaw::app
