#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// The program of a wheel: calls main() of the modules' library, which lies in the folder above this file's. A search path of the
// dynamic linker would need /proc, which a chroot may lack.

int main(int argc, char** argv) {
  constexpr int kFailed = 3;
  const auto* called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  char* resolved = realpath(called, nullptr);
  if (resolved == nullptr) {
    std::perror(called);
    return kFailed;
  }
  const std::string self(resolved);
  std::free(resolved);
  const auto folder = self.substr(0, self.find_last_of('/'));
  const auto library = folder.substr(0, folder.find_last_of('/')) + "/libmacaw_python.so";
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* run = handle != nullptr ? dlsym(handle, "main") : nullptr;
  if (run == nullptr) {
    std::fprintf(stderr, "macaw: %s\n", dlerror());
    return kFailed;
  }
  return reinterpret_cast<int (*)(int, char**)>(run)(argc, argv);
}
