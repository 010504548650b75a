#pragma once
#include <macaw/error.hpp>
#include <macaw/sc/memory_engine.hpp>

#include <memory>

namespace macaw::npu::timed {

/// The environment variable with the folders, separated by ':', that are searched for engines.
inline constexpr const char* kEngineFolders = "MACAW_MEMORY_ENGINES";

/// Creates the engine of the library libmacaw_memory_NAME.so, which stays loaded. Must be called where modules are
/// built.
///
/// Errors: kUnsupported: no folder has the library, or it cannot be loaded; kInvalidFile: the engine rejects the setup.
[[nodiscard]] Result<std::unique_ptr<macaw::sc::MemoryEngine>> load_engine(
    const std::string& name, const macaw::sc::MemoryEngineRequest& request);

}  // namespace macaw::npu::timed
