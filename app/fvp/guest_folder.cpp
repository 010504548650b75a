#include "app/fvp/guest_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace macaw::app::fvp {
namespace {

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kMode = 0644;

tl::expected<void, int> checked(int status) {
  if (status != 0) return tl::unexpected(errno);
  return {};
}

}  // namespace

Descriptor::~Descriptor() {
  if (is_open()) ::close(descriptor_);
}

Result<GuestFolder> GuestFolder::open(const std::string& folder) {
  GuestFolder opened;
  if (folder.empty()) return opened;
  opened.folder_ = Descriptor(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!opened.folder_.is_open())
    return fail(ErrorCode::kIo, fmt::format("cannot open the folder: {}", std::strerror(errno)), {.file = folder});
  return opened;
}

tl::expected<GuestFolder::Entry, int> GuestFolder::find(std::string_view path) const {
  if (!folder_.is_open() || path.starts_with('/')) return tl::unexpected(EACCES);
  if (path.size() >= PATH_MAX) return tl::unexpected(ENAMETOOLONG);
  if (path.empty() || path.find('\0') != std::string_view::npos) return tl::unexpected(ENOENT);
  Entry entry{Descriptor(::openat(folder_.get(), ".", kFolderFlags)), {}};
  for (;;) {
    if (!entry.folder.is_open()) return tl::unexpected(errno);
    const std::size_t slash = path.find('/');
    entry.name = path.substr(0, slash);
    if (entry.name == "..") return tl::unexpected(EACCES);
    if (entry.name.empty()) entry.name = ".";
    if (slash == std::string_view::npos) break;
    entry.folder = Descriptor(::openat(entry.folder.get(), entry.name.c_str(), kFolderFlags));
    path.remove_prefix(slash + 1);
  }
  struct stat there = {};
  if (::fstatat(entry.folder.get(), entry.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return tl::unexpected(errno);
  } else if (!S_ISREG(there.st_mode)) {
    return tl::unexpected(S_ISDIR(there.st_mode) ? EISDIR : EACCES);
  }
  return entry;
}

tl::expected<Descriptor, int> GuestFolder::open_file(std::string_view path, int flags) const {
  const auto entry = find(path);
  if (!entry) return tl::unexpected(entry.error());
  Descriptor file(::openat(entry->folder.get(), entry->name.c_str(),
                           flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, kMode));
  if (!file.is_open()) return tl::unexpected(errno);
  return file;
}

tl::expected<void, int> GuestFolder::remove(std::string_view path) const {
  const auto entry = find(path);
  if (!entry) return tl::unexpected(entry.error());
  return checked(::unlinkat(entry->folder.get(), entry->name.c_str(), 0));
}

tl::expected<void, int> GuestFolder::rename(std::string_view from, std::string_view to) const {
  const auto old_entry = find(from), new_entry = find(to);
  if (!old_entry) return tl::unexpected(old_entry.error());
  if (!new_entry) return tl::unexpected(new_entry.error());
  return checked(
      ::renameat(old_entry->folder.get(), old_entry->name.c_str(), new_entry->folder.get(), new_entry->name.c_str()));
}

}  // namespace macaw::app::fvp
