#pragma once

namespace macaw::app {

/// Raises the stack limit of this thread and of those that it starts to the usual size if the system's limit is lower;
/// false if the permitted limit is too small for any run.
[[nodiscard]] bool ensure_stack();

}  // namespace macaw::app
