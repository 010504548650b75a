// Functions of the C library through which a program uses /dev/accel/accel0, preloaded before the library (LD_PRELOAD).
#include "device/accel/file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace macaw::accel {
namespace {

constexpr std::string_view kDevice = "/dev/accel/accel0";

std::string from_environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

/// 384 KiB is the SRAM that i.MX93 assigns to its Ethos-U65 (imx93.dtsi of torvalds/linux, ethosu_sram).
constexpr const char* kSramSize = "393216";

/// Identifies the memory behind a descriptor: inode numbers are unique only within a file system.
using Memory = std::pair<dev_t, ino_t>;

struct Driver {
  std::recursive_mutex mutex;  // recursive because the model opens and closes files itself
  std::unique_ptr<Npu> npu;    // created by the first open
  std::map<Memory, std::unique_ptr<File>> files;
};

/// Not destroyed: a program may close its descriptors at its very end.
Driver& driver() {
  static auto& one = *new Driver;
  return one;
}

std::optional<Memory> memory_of(int descriptor) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return std::nullopt;
  return Memory{facts.st_dev, facts.st_ino};
}

/// Returns the open device behind a descriptor, which may be a duplicate; null for other files.
File* find(Driver& all, int descriptor) {
  if (all.files.empty()) return nullptr;
  const auto memory = memory_of(descriptor);
  const auto at = memory ? all.files.find(*memory) : all.files.end();
  return at == all.files.end() ? nullptr : at->second.get();
}

/// Whether a descriptor below the limit, other than the file's own, still refers to the memory.
bool is_open(Memory memory, int own) {
  const long limit = std::min(sysconf(_SC_OPEN_MAX), 65536l);
  for (int i = 0; i < limit; ++i)
    if (i != own && memory_of(i) == memory) return true;
  return false;
}

bool start(Driver& all) {
  if (all.npu) return true;
  const auto text = from_environment("MACAW_ACCEL_SRAM", kSramSize);
  std::uint32_t sram = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sram);
  if (error != std::errc() || end != text.data() + text.size()) {
    fmt::print(stderr, "macaw-accel: MACAW_ACCEL_SRAM: '{}' is not a number of bytes below 2^32\n", text);
    return false;
  }
  auto npu = std::make_unique<Npu>(Npu::Setup{.accelerator = from_environment("MACAW_ACCELERATOR", "ethos-u65-256"),
                                              .system = from_environment("MACAW_SYSTEM", ""),
                                              .sram_size = sram,
                                              .report_folder = from_environment("MACAW_ACCEL_REPORT", "")});
  if (!npu->problem().empty()) {
    fmt::print(stderr, "macaw-accel: {}\n", npu->problem());
    return false;
  }
  constexpr int kProduct = 28;  // of CONFIG; 0: Ethos-U55
  if (npu->config() >> kProduct == 0) {
    fmt::print(stderr, "macaw-accel: Linux has no driver for {}; it has one for Ethos-U65 and U85\n",
               npu->setup().accelerator);
    return false;
  }
  all.npu = std::move(npu);
  return true;
}

/// Returns the result of a call, or ENOMEM if there was not enough memory.
template <class F>
int with_memory(const F& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

/// Returns a descriptor, or -1 with errno.
int open_device(int flags) {
  auto& all = driver();
  const std::scoped_lock lock(all.mutex);
  if (with_memory([&] { return start(all) ? 0 : ENODEV; }) != 0) {
    errno = ENODEV;
    return -1;
  }
  const int descriptor = memfd_create("macaw-accel", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0u);
  const int own = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) {
    if (descriptor >= 0) syscall(SYS_close, descriptor);
    return -1;
  }
  all.files[*memory_of(descriptor)] = std::make_unique<File>(own, *all.npu);
  return descriptor;
}

bool is_device(const char* path) { return path != nullptr && path == kDevice; }

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

using Open = int (*)(const char*, int, ...);
using OpenAt = int (*)(int, const char*, int, ...);

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace
}  // namespace macaw::accel

using namespace macaw::accel;

extern "C" {

#define MACAW_OPEN(name)                            \
  int name(const char* path, int flags, ...) {      \
    va_list arguments;                              \
    va_start(arguments, flags);                     \
    const mode_t mode = mode_of(flags, arguments);  \
    va_end(arguments);                              \
    if (is_device(path)) return open_device(flags); \
    static const auto original = next<Open>(#name); \
    return original(path, flags, mode);             \
  }
MACAW_OPEN(open)
MACAW_OPEN(open64)

#define MACAW_OPEN_AT(name)                                \
  int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                     \
    va_start(arguments, flags);                            \
    const mode_t mode = mode_of(flags, arguments);         \
    va_end(arguments);                                     \
    if (is_device(path)) return open_device(flags);        \
    static const auto original = next<OpenAt>(#name);      \
    return original(folder, path, flags, mode);            \
  }
MACAW_OPEN_AT(openat)
MACAW_OPEN_AT(openat64)

// The macros of _FORTIFY_SOURCE call these.
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char* path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char* path, int flags) { return openat64(folder, path, flags); }

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  {
    auto& all = driver();
    const std::scoped_lock lock(all.mutex);
    if (auto* file = find(all, descriptor)) {
      const int error = with_memory([&] { return file->ioctl(request, argument); });
      if (error == 0) return 0;
      errno = error;
      return -1;
    }
  }
  static const auto original = next<int (*)(int, unsigned long, ...)>("ioctl");
  return original(descriptor, request, argument);
}

int close(int descriptor) {
  auto& all = driver();
  const std::scoped_lock lock(all.mutex);
  const auto memory = all.files.empty() ? std::nullopt : memory_of(descriptor);
  const int result = static_cast<int>(syscall(SYS_close, descriptor));
  if (result == 0 && memory)
    if (const auto at = all.files.find(*memory); at != all.files.end() && !is_open(*memory, at->second->descriptor()))
      all.files.erase(at);
  return result;
}

#define MACAW_MMAP(name)                                                                                       \
  void* name(void* address, size_t length, int protection, int flags, int descriptor, off_t offset) {          \
    if (descriptor >= 0) {                                                                                     \
      auto& all = driver();                                                                                    \
      const std::scoped_lock lock(all.mutex);                                                                  \
      const auto* file = find(all, descriptor);                                                                \
      if (file != nullptr && file->check_map(static_cast<std::uint64_t>(offset), length) != 0) {               \
        errno = EINVAL;                                                                                        \
        return MAP_FAILED;                                                                                     \
      }                                                                                                        \
    }                                                                                                          \
    return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, descriptor, offset)); \
  }
MACAW_MMAP(mmap)
MACAW_MMAP(mmap64)
}
