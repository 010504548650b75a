#include <macaw/shared_library.hpp>

#include <dlfcn.h>

namespace macaw {
namespace {

void* or_reason(void* found, std::string& reason) {
  if (found) return found;
  const char* text = ::dlerror();
  reason = text ? text : "unknown cause";
  return nullptr;
}

}  // namespace

void* open_library(const std::filesystem::path& file, std::string& reason) {
  return or_reason(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), reason);
}

void* find_function(void* library, const char* name, std::string& reason) {
  return or_reason(::dlsym(library, name), reason);
}

void close_library(void* library) { ::dlclose(library); }

}  // namespace macaw
