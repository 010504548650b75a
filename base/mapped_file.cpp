#include "base/mapped_file.hpp"

#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/platform/files.hpp"

namespace macaw::io {
namespace {

// Smaller files are read in less time than two calls of the system take.
constexpr std::size_t kLeastMapped = std::size_t{1} << 18;

}  // namespace

Result<FileContents> map_file(const std::filesystem::path& file) {
  MACAW_CHECK(check_name(file));
  if (file != "-")
    if (auto mapped = platform::map_regular_file(file, kLeastMapped); mapped.owner)
      return FileContents{mapped.bytes, std::move(mapped.owner)};
  MACAW_ASSIGN(auto bytes, read_file(file));
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return FileContents{*owner, owner};
}

}  // namespace macaw::io
