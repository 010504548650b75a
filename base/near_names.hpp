#pragma once
#include <span>
#include <string>
#include <string_view>

namespace macaw::io {

/// The end of a message about a name that is not known: "; did you mean 'a' or 'b'?" with up to three known names that
/// differ in few letters or contain it, or else "; available:" and all of them if they are few.
[[nodiscard]] std::string near_names(std::string_view name, std::span<const std::string> known);

}  // namespace macaw::io
