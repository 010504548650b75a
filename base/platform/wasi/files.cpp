#include "base/platform/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace macaw::platform {

MappedBytes map_regular_file(const std::filesystem::path&, std::size_t) { return {}; }

// WASI has no rename that fails where the new name exists; a module's files belong to it alone.
int rename_to_new(const char* from, const char* to) {
  if (::access(to, F_OK) == 0) return EEXIST;
  return std::rename(from, to) == 0 ? 0 : errno;
}

// WASI's files have no permissions.
void set_permissions(int, std::filesystem::perms) {}

std::optional<std::uint64_t> random_bits() {
  std::uint64_t bits = 0;
  if (::getentropy(&bits, sizeof bits) != 0) return std::nullopt;
  return bits;
}

// A module gets no signals: whatever runs it stops it from outside.
void handle_ending_signals(void (*)(int)) {}
void end_by_signal(int) {}

std::optional<std::size_t> window_columns() { return std::nullopt; }

std::optional<std::uint64_t> memory_limit() { return std::nullopt; }

}  // namespace macaw::platform
