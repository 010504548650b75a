#pragma once
#include <macaw/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace macaw::run {

/// The limits of one process.
struct ProcessLimits {
  double seconds = 600;
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< bytes of address space
};

struct PoolOptions {
  unsigned jobs = 1;  ///< processes at a time
  /// Limits of each process. Without limits, this process does the work of one job, and what the system has no process
  /// for.
  std::optional<ProcessLimits> limits = {};
};

/// The result of a piece of work, or why its process did not get to its end ("ended by signal 9 (Killed)").
struct ProcessEnd {
  std::string answer, error;
};

/// Calls `work` for 0 to `count` - 1, each in a child process of its own (SystemC allows one simulation per process at
/// a time), and `done` in this process as they end. Children end with this process. To be called while the process has
/// one thread.
///
/// Errors: the first of `done`, after which nothing more is started; kIo where there are limits and the system has no
/// process at all.
[[nodiscard]] Result<void> run_in_processes(std::size_t count, const PoolOptions& options,
                                            const std::function<std::string(std::size_t)>& work,
                                            const std::function<Result<void>(std::size_t, const ProcessEnd&)>& done);

}  // namespace macaw::run
