#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace macaw::golden {

/// Calls `work` for 0 to `count` - 1, each in one of `jobs` child processes (SystemC allows one simulation per process
/// at a time), and `done` in this process with what it gave, as it comes; nothing if its process died of it. With one
/// job, or where the system has no process to give, everything happens in this process. To be called while the process
/// has one thread.
void in_processes(std::size_t count, unsigned jobs, const std::function<std::string(std::size_t)>& work,
                  const std::function<void(std::size_t, std::optional<std::string>)>& done);

}  // namespace macaw::golden
