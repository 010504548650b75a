#include "base/file_name.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace macaw::io {
namespace {

/// Names of 255 bytes are allowed; prefixes, endings and those of temporary files come beside it.
constexpr std::size_t kLongest = 180;

/// FNV-1a, so that a name is the same on every machine.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string file_name_of(std::string tensor_name) {
  const auto hash = hash_of(tensor_name);
  for (auto& c : tensor_name)
    if (c == '/' || c == '\\' || c == '\0') c = '_';
  if (tensor_name.size() <= kLongest) return tensor_name;
  auto end = kLongest - 17;
  while (end > 0 && continues_character(tensor_name[end])) --end;
  return fmt::format("{}~{:016x}", tensor_name.substr(0, end), hash);
}

}  // namespace macaw::io
