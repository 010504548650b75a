// In builds with AddressSanitizer the kernel's coroutines announce which stack they use. SystemC 2.3.4 announces its
// switches, but does not state the stack on which it was started, and announces nothing when a coroutine ends: from
// then on the sanitizer would search the wrong memory for frames and for pointers that prevent leak reports.
#ifdef MACAW_ADDRESS_SANITIZER
#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sysc/kernel/sc_cor.h>

#include <cstddef>
#include <span>

// The names under which the library calls these two of its functions; definitions in a program take precedence over
// those in a library.
#define MACAW_YIELD "_ZN7sc_core13sc_cor_pkg_qt5yieldEPNS_6sc_corE"
#define MACAW_ABORT "_ZN7sc_core13sc_cor_pkg_qt5abortEPNS_6sc_corE"

namespace macaw::npu::timed {
namespace {

std::span<const std::byte> thread_stack() {
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  return {static_cast<const std::byte*>(bottom), size};
}

}  // namespace

using Switch = void(sc_core::sc_cor_pkg*, sc_core::sc_cor*);
Switch yield asm(MACAW_YIELD);
Switch end_in asm(MACAW_ABORT);

__attribute__((no_sanitize("address"))) void yield(sc_core::sc_cor_pkg* package, sc_core::sc_cor* next) {
  static const auto library = reinterpret_cast<Switch*>(dlsym(RTLD_NEXT, MACAW_YIELD));
  thread_local const auto stack = thread_stack();
  const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
  library(package, next);
  if (here < stack.data() || here >= stack.data() + stack.size()) return;
  __sanitizer_start_switch_fiber(nullptr, stack.data(), stack.size());
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

__attribute__((no_sanitize("address"))) void end_in(sc_core::sc_cor_pkg* package, sc_core::sc_cor* next) {
  package->yield(next);
}

}  // namespace macaw::npu::timed
#endif
