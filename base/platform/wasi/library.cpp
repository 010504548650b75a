#include <macaw/shared_library.hpp>

namespace macaw {

void* open_library(const std::filesystem::path&, std::string& reason) {
  reason = "WebAssembly cannot load libraries";
  return nullptr;
}

void* find_function(void*, const char*, std::string& reason) {
  reason = "WebAssembly cannot load libraries";
  return nullptr;
}

void close_library(void*) {}

}  // namespace macaw
