#pragma once
#include <macaw/plugin/custom_op.h>
#include <macaw/error.hpp>

#include <filesystem>

namespace macaw::tosa {

/// Makes the operators of a shared library available to CUSTOM for the rest of the process. Loading a library again
/// does nothing. kInvalidFile if it is not such a library, states another version of the interface, or has an operator
/// whose domain and name are taken.
[[nodiscard]] Result<void> load_custom_ops(const std::filesystem::path& library);

/// Makes operators that are part of the program available to CUSTOM; `origin` is used in messages. Errors: those of
/// load_custom_ops().
[[nodiscard]] Result<void> add_custom_ops(const macaw_custom_library& library, const std::string& origin);

}  // namespace macaw::tosa
