#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "workflow/sweep/study.hpp"

namespace macaw::sweep {

/// Calls `work` for 0 to `count` - 1, each in a child process of its own within the limits, `jobs` at a time, and
/// `done` in this process as they end: with nothing, or with why the child did not get to its end. Children die with
/// this process. To be called while the process has one thread.
///
/// Errors: the first of `done`, after which nothing more is started; kIo where the system gives no process at all.
[[nodiscard]] Result<void> run_each(std::size_t count, unsigned jobs, const Limits& limits,
                                    const std::function<void(std::size_t)>& work,
                                    const std::function<Result<void>(std::size_t, const std::string&)>& done);

}  // namespace macaw::sweep
