#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "tests/fuzz/target.hpp"

namespace macaw::fuzz {

/// The path of a file with these contents, which stay until the next call; empty if it cannot be written.
inline std::string file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz", 0);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) return "";
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace macaw::fuzz
