#include "base/file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>

namespace macaw::io {
namespace {

tl::unexpected<Error> io_error(const std::filesystem::path& file, std::string_view what, int code) {
  return fail(ErrorCode::kIo, fmt::format("{}: {}", what, code ? std::strerror(code) : "unknown cause"),
              {.file = file.string()});
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::filesystem::path& file) {
  std::error_code status_error;
  const auto status = std::filesystem::status(file, status_error);
  if (status.type() == std::filesystem::file_type::not_found) return io_error(file, "cannot open", ENOENT);
  if (status.type() == std::filesystem::file_type::directory) return io_error(file, "cannot read", EISDIR);
  errno = 0;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return io_error(file, "cannot open", errno);
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size < 0) return io_error(file, "cannot read", errno);
  try {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    in.seekg(0);
    if (size > 0 && !in.read(reinterpret_cast<char*>(bytes.data()), size)) return io_error(file, "cannot read", errno);
    return bytes;
  } catch (const std::bad_alloc&) {
    return io_error(file, "cannot read", ENOMEM);
  }
}

Result<void> write_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  auto part = file;
  part += ".part";
  errno = 0;
  {
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out) return io_error(file, "cannot write", errno);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      const int code = errno;
      std::error_code ignored;
      std::filesystem::remove(part, ignored);
      return io_error(file, "cannot write", code);
    }
  }
  std::error_code error;
  std::filesystem::rename(part, file, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    return io_error(file, "cannot write", error.value());
  }
  return {};
}

Result<void> write_file(const std::filesystem::path& file, std::string_view text) {
  return write_file(file, std::as_bytes(std::span(text.data(), text.size())));
}

Result<void> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return io_error(directory, "cannot create the directory", error.value());
  return {};
}

}  // namespace macaw::io
