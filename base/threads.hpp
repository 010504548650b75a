#pragma once
#include <cstddef>
#include <cstdlib>
#include <latch>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <macaw/threads.hpp>

namespace macaw {

/// Up to `count` threads that do `work` beside the caller; fewer, or none, where the system has no more to give. The
/// last of them does not take the address space that the work needs: they begin together, and some is held back until
/// then.
template <class Work>
[[nodiscard]] std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  constexpr std::size_t kHeldBack = std::size_t{64} << 20;
  std::vector<std::jthread> started;
  if (!kHasThreads) return started;
  started.reserve(count);
  const auto begin = std::make_shared<std::latch>(1);
  void* volatile held_back = std::malloc(kHeldBack);  // volatile, so that the compiler does not leave it out
  try {
    while (held_back && started.size() < count)
      started.emplace_back([begin, work] {
        begin->wait();
        work();
      });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  std::free(held_back);
  begin->count_down();
  return started;
}

}  // namespace macaw
