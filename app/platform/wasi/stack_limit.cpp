#include "app/stack_limit.hpp"

namespace macaw::app {

// The linker sets the size of the stack (cmake/toolchains/wasm.cmake).
bool ensure_stack() { return true; }

}  // namespace macaw::app
