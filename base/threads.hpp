#pragma once
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace macaw {

/// Up to `count` threads that do `work` beside the caller; fewer, or none, where the system has no more to give.
template <class Work>
[[nodiscard]] std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> started;
  started.reserve(count);
  try {
    while (started.size() < count) started.emplace_back(work);
  } catch (const std::system_error&) {
  }
  return started;
}

}  // namespace macaw
