#include "base/late/npz_functions.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

// The definitions that a program has in place of those of base/npz.cpp.

namespace macaw {
namespace {

constexpr const char* kLibrary = "libmacaw_npz.so";

Result<const NpzFunctions*> load() {
  void* const library = dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);
  const void* const found = library ? dlsym(library, "macaw_npz_functions") : nullptr;
  if (!found)
    return fail(ErrorCode::kUnsupported,
                fmt::format("what reads .npz files cannot be loaded, a file or memory being short: {}", dlerror()));
  const auto* const functions = static_cast<const NpzFunctions*>(found);
  if (std::string_view(functions->build) != macaw_build)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} is of build {}, this program is of build {}", kLibrary, functions->build, macaw_build));
  return functions;
}

Result<const NpzFunctions*> functions() {
  static const Result<const NpzFunctions*> loaded = load();
  return loaded;
}

}  // namespace

Result<Npz> parse_npz(std::span<const std::byte> bytes, const std::string& name) {
  MACAW_ASSIGN(const auto* const npz, functions());
  return npz->parse(bytes, name);
}

Result<Npz> read_npz(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto* const npz, functions());
  return npz->read(file);
}

Result<void> write_npz(const std::filesystem::path& file, const std::map<std::string, NpyArray>& arrays) {
  MACAW_ASSIGN(const auto* const npz, functions());
  return npz->write(file, arrays);
}

}  // namespace macaw
