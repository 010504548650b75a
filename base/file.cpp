#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>

#include "base/folder_lock.hpp"
#include "base/platform/files.hpp"

namespace macaw::io {
namespace {

tl::unexpected<Error> io_error(const std::filesystem::path& file, std::string_view what, int code) {
  return fail(ErrorCode::kIo, fmt::format("{}: {}", what, code ? std::strerror(code) : "unknown cause"),
              {.file = file.string()});
}

tl::unexpected<Error> no_memory(const std::filesystem::path& file) {
  const auto limit = platform::memory_limit();
  if (!limit) return io_error(file, "cannot read", ENOMEM);
  return io_error(file, fmt::format("cannot read into the {} bytes of memory that are allowed", *limit), ENOMEM);
}

std::optional<std::size_t> size_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::size_t>(status.st_size);
}

/// Reads to the end; `expected` bytes, if the file says how many it has.
Result<std::vector<std::byte>> read_all(int descriptor, std::optional<std::size_t> expected,
                                        const std::filesystem::path& file) {
  constexpr std::size_t kStep = std::size_t{1} << 16, kMostWithoutSize = std::size_t{256} << 20;
  std::vector<std::byte> bytes(expected.value_or(0) + 1);
  std::size_t size = 0;
  while (true) {
    if (!expected && size > kMostWithoutSize)
      return io_error(file, fmt::format("says no size and has more than {} bytes", kMostWithoutSize), EFBIG);
    if (size == bytes.size()) bytes.resize(size + std::max(kStep, size));
    const auto got = ::read(descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(file, "cannot read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

Result<void> check_name(const std::filesystem::path& file) {
  if (file.empty()) return fail(ErrorCode::kUsage, "the name of a file is empty");
  if (file.native().find('\0') == std::string::npos) return {};
  return fail(ErrorCode::kIo, "the name of a file has a zero byte", {.file = file.string()});
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path& file) {
  MACAW_CHECK(check_name(file));
  const bool is_input = file == "-";
  const int descriptor = is_input ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_error(file, "cannot open", errno);
  Result<std::vector<std::byte>> bytes;
  struct stat status = {};
  try {
    if (::fstat(descriptor, &status) != 0) bytes = io_error(file, "cannot read", errno);
    else bytes = read_all(descriptor, size_of(status), file);
  } catch (const std::bad_alloc&) {
    bytes = no_memory(file);
  } catch (const std::length_error&) {
    bytes = io_error(file, "cannot read", EFBIG);
  }
  if (!is_input) ::close(descriptor);
  return bytes;
}

Result<void> FileSet::add(const std::filesystem::path& file, std::span<const std::byte> bytes,
                          std::span<const std::byte> more) {
  MACAW_ASSIGN(auto temporary, TemporaryFile::create(file));
  MACAW_CHECK(temporary.write(bytes, more));
  files_.push_back(std::move(temporary));
  return {};
}

Result<void> FileSet::add(const std::filesystem::path& file, std::string_view text) {
  return add(file, std::as_bytes(std::span(text.data(), text.size())));
}

Result<void> FileSet::publish() {
  std::optional<FolderLock> lock;
  if (files_.size() > 1) lock.emplace(files_.back().path().parent_path());
  for (auto& file : files_) MACAW_CHECK(file.publish(existing_));
  files_.clear();
  return {};
}

Result<void> write_file(const std::filesystem::path& file, std::span<const std::byte> bytes, Existing existing) {
  FileSet files(existing);
  MACAW_CHECK(files.add(file, bytes));
  return files.publish();
}

Result<void> write_file(const std::filesystem::path& file, std::string_view text, Existing existing) {
  return write_file(file, std::as_bytes(std::span(text.data(), text.size())), existing);
}

Result<void> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return io_error(directory, "cannot create the directory", error.value());
  return {};
}

}  // namespace macaw::io
