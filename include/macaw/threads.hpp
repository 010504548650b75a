#pragma once
#include <algorithm>
#include <thread>

namespace macaw {

/// Whether the system has threads. A module of WebAssembly has none unless it is built for WASI's proposal of threads.
#if defined(__wasi__) && !defined(_REENTRANT)
inline constexpr bool kHasThreads = false;
#else
inline constexpr bool kHasThreads = true;
#endif

/// The number of threads that the machine can run at the same time, at least 1.
[[nodiscard]] inline int machine_threads() {
  return kHasThreads ? std::max(1, static_cast<int>(std::thread::hardware_concurrency())) : 1;
}

}  // namespace macaw
