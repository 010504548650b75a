#include "app/output_file.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "app/command.hpp"
#include "base/file.hpp"

namespace macaw::app {
namespace {

std::vector<std::string> words_of_call;

Result<void> check_existing(const std::filesystem::path& file, bool force) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
  if (!force && is_there && !io::is_written_in_place(file))
    return fail(ErrorCode::kUsage, "the file exists; --force overwrites it", {.file = file.string()});
  return {};
}

/// Forms in which an argument can name a file: "FILE", "--option=FILE", "NAME=FILE", "-oFILE".
std::vector<std::string_view> possible_files(std::string_view word) {
  std::vector<std::string_view> files{word};
  if (const auto equals = word.find('='); equals != word.npos) files.push_back(word.substr(equals + 1));
  if (word.size() > 2 && word[0] == '-' && word[1] != '-') files.push_back(word.substr(2));
  return files;
}

/// An existing output is named at most once, as the output; --input (-i) may name a file of --output-dir. Any other
/// argument that names it is an input.
Result<void> check_not_an_input(const std::filesystem::path& file) {
  std::error_code missing;
  if (!std::filesystem::exists(file, missing) || io::is_written_in_place(file)) return {};
  int named = 0;
  bool as_output = false;
  std::string_view before;
  for (const std::string_view word : words_of_call) {
    const auto names_input = [](std::string_view text) {
      return text.starts_with("--input") || text.starts_with("-i");
    };
    const bool is_input = names_input(word) || names_input(before);
    for (const auto name : possible_files(word)) {
      named += std::filesystem::equivalent(name, file, missing) ? 1 : 0;
      as_output |= !is_input && name == file.native();
    }
    before = word;
  }
  if (named > (as_output ? 1 : 0))
    return fail(ErrorCode::kUsage, "the file is an input of this run; write the output to another file",
                {.file = file.string()});
  return {};
}

}  // namespace

void set_words_of_call(std::vector<std::string> words) { words_of_call = std::move(words); }

Result<void> check_output(const std::filesystem::path& file, bool force) {
  MACAW_CHECK(check_existing(file, force));
  return check_not_an_input(file);
}

Result<void> check_outputs(std::span<const std::filesystem::path> files, bool force) {
  std::set<std::filesystem::path> seen;
  for (const auto& file : files) {
    MACAW_CHECK(check_existing(file, force));
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(file, unknown);
    const auto real = std::filesystem::weakly_canonical(whole, unknown);
    if (!io::is_written_in_place(file) && !seen.insert(unknown ? whole : real).second)
      return fail(ErrorCode::kUsage, "two outputs have this name", {.file = file.string()});
  }
  for (const auto& file : files) MACAW_CHECK(check_not_an_input(file));
  return {};
}

void print_written(const std::filesystem::path& file) {
  if (!io::is_written_in_place(file)) print_stdout("{} written\n", file.string());
}

Result<void> write_output(const std::filesystem::path& file, std::span<const std::byte> bytes, bool force) {
  MACAW_CHECK(check_output(file, force));
  return io::write_file(file, bytes, existing(force));
}

}  // namespace macaw::app
