#include "sim/timed/load_engine.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <macaw/shared_library.hpp>

namespace macaw::npu::timed {
namespace {

Result<std::filesystem::path> find_library(const std::string& name) {
  const auto file = fmt::format("libmacaw_memory_{}.so", name);
  const char* value = std::getenv(kEngineFolders);
  std::istringstream folders(value ? value : "");
  folders.exceptions(std::ios::badbit);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code ignored;
    const auto path = std::filesystem::absolute(folder, ignored) / file;
    if (!folder.empty() && std::filesystem::exists(path, ignored)) return path;
  }
  return fail(ErrorCode::kUnsupported,
              fmt::format("no memory engine '{}': {} names no folder with {}", name, kEngineFolders, file));
}

}  // namespace

Result<std::unique_ptr<macaw::sc::MemoryEngine>> load_engine(const std::string& name,
                                                             const macaw::sc::MemoryEngineRequest& request) {
  MACAW_ASSIGN(const auto path, find_library(name));
  // Never closed: SystemC may refer to objects registered by the library for the lifetime of the process.
  std::string error;
  void* const library = open_library(path, error);
  void* const found = library ? find_function(library, "macaw_memory_engine", error) : nullptr;
  if (!found) return fail(ErrorCode::kUnsupported, fmt::format("no memory engine: {}", error), {.file = path.string()});
  std::unique_ptr<macaw::sc::MemoryEngine> engine(
      reinterpret_cast<decltype(&macaw_memory_engine)>(found)(request, error));
  if (!engine) return fail(ErrorCode::kInvalidFile, fmt::format("engine_setup: {}", error), {.file = path.string()});
  return engine;
}

}  // namespace macaw::npu::timed
