#pragma once

namespace macaw::app {

/// Lets the stacks of this thread and of those that it starts become as large as on most systems, where the system's
/// limit is lower; false if it allows less than any run can do with.
[[nodiscard]] bool ensure_stack();

}  // namespace macaw::app
