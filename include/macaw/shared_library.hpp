#pragma once
#include <filesystem>
#include <string>

namespace macaw {

/// Loads a shared library by its path, which is absolute. Returns null with the reason where the system cannot load it,
/// as WebAssembly never can.
[[nodiscard]] void* open_library(const std::filesystem::path& file, std::string& reason);

/// The address of a function of a library that open_library() returned, or null with the reason.
[[nodiscard]] void* find_function(void* library, const char* name, std::string& reason);

/// Unloads a library that open_library() returned, unless it is in use elsewhere.
void close_library(void* library);

}  // namespace macaw
