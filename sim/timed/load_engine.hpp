#pragma once
#include <macaw/error.hpp>
#include <macaw/sc/memory_engine.hpp>

#include <memory>

namespace macaw::npu::timed {

/// The environment variable with the folders, separated by ':', in which engines are looked for.
inline constexpr const char* kEngineFolders = "MACAW_MEMORY_ENGINES";

/// Makes the engine of the library libmacaw_memory_NAME.so, which stays loaded. To be called where modules are built.
///
/// Errors: kUnsupported: no folder has the library, or it cannot be loaded; kInvalidFile: the engine does not take the
/// setup.
[[nodiscard]] Result<std::unique_ptr<macaw::sc::MemoryEngine>> load_engine(
    const std::string& name, const macaw::sc::MemoryEngineRequest& request);

}  // namespace macaw::npu::timed
