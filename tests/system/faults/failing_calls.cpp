// Makes one call of a program fail, for LD_PRELOAD: MACAW_FAULT is alloc, write, open or rename, MACAW_FAULT_AT the
// number of the call from 1 on; with MACAW_FAULT_ON every later one fails as well. Calls are counted while main() runs,
// and their number is left in the file MACAW_FAULT_COUNT.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

using Main = int (*)(int, char**, char**);

std::atomic<bool> counting = false;
std::atomic<unsigned long> calls = 0;
const char* kind = "";
unsigned long at = 0;
bool and_on = false;
Main program = nullptr;

bool fails(const char* what, int code) {
  if (!counting || std::strcmp(kind, what) != 0) return false;
  const auto number = ++calls;
  if (at == 0 || (and_on ? number < at : number != at)) return false;
  errno = code;
  return true;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void leave_count() {
  counting = false;
  const char* file = std::getenv("MACAW_FAULT_COUNT");
  if (file == nullptr) return;
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%lu", calls.load());
  const auto number = ::syscall(SYS_open, file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  (void)::syscall(SYS_write, number, text, length);
  (void)::syscall(SYS_close, number);
}

int counted_main(int argc, char** argv, char** environment) {
  if (const char* text = std::getenv("MACAW_FAULT")) kind = text;
  if (const char* text = std::getenv("MACAW_FAULT_AT")) at = std::strtoul(text, nullptr, 10);
  and_on = std::getenv("MACAW_FAULT_ON") != nullptr;
  std::atexit(leave_count);
  counting = true;
  const int code = program(argc, argv, environment);
  counting = false;
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*end)(), void* stack) {
  program = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, end, stack);
}

void* malloc(std::size_t size) { return fails("alloc", ENOMEM) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails("alloc", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) { return fails("alloc", ENOMEM) ? nullptr : __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails("alloc", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* got = fails("alloc", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
  if (got != nullptr) *out = got;
  return got != nullptr ? 0 : ENOMEM;
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  if (descriptor != STDERR_FILENO && fails("write", ENOSPC)) return -1;
  return ::syscall(SYS_write, descriptor, bytes, size);
}

// Streams of libstdc++ write through this call.
ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (fails("write", ENOSPC)) return -1;
  return ::syscall(SYS_writev, descriptor, parts, count);
}

int open(const char* file, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(list, unsigned) : 0U;
  va_end(list);
  if (fails("open", EACCES)) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, file, flags, mode));
}
std::FILE* fopen(const char* file, const char* mode) {
  using Open = std::FILE* (*)(const char*, const char*);
  return fails("open", EACCES) ? nullptr : next<Open>("fopen")(file, mode);
}
std::FILE* fopen64(const char* file, const char* mode) { return fopen(file, mode); }

int rename(const char* from, const char* to) {
  if (fails("rename", EIO)) return -1;
  return static_cast<int>(::syscall(SYS_rename, from, to));
}

}  // extern "C"
