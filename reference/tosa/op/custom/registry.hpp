#pragma once
#include <macaw/tosa/custom.hpp>

#include <string>

namespace macaw::tosa {

/// The custom operator of that name, or null if no library has it.
[[nodiscard]] const macaw_custom_op* find_custom_op(const std::string& domain, const std::string& name);

}  // namespace macaw::tosa
