#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "base/file.hpp"

namespace macaw::io {
namespace {

// Smaller files are read in less time than two calls of the system take.
constexpr std::size_t kLeastMapped = std::size_t{1} << 18;

bool is_large(const struct stat& status) {
  return S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) >= kLeastMapped;
}

/// Nothing in it where the file is small, or none that can be mapped.
FileContents map_large(const std::filesystem::path& file) {
  struct stat status = {};
  // Opening a FIFO would be seen at its other end.
  if (::stat(file.c_str(), &status) != 0 || !is_large(status)) return {};
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  FileContents contents;
  if (::fstat(descriptor, &status) == 0 && is_large(status)) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0); begin != MAP_FAILED)
      contents = {{static_cast<const std::byte*>(begin), size},
                  std::shared_ptr<const void>(begin, [size](void* mapped) { ::munmap(mapped, size); })};
  }
  ::close(descriptor);
  return contents;
}

}  // namespace

Result<FileContents> map_file(const std::filesystem::path& file) {
  MACAW_CHECK(check_name(file));
  if (file != "-")
    if (auto mapped = map_large(file); mapped.owner) return mapped;
  MACAW_ASSIGN(auto bytes, read_file(file));
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return FileContents{*owner, owner};
}

}  // namespace macaw::io
