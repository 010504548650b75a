#include "app/exclusive_options.hpp"

#include <fmt/format.h>

namespace macaw::app {

Result<void> exclude(std::string_view option, std::initializer_list<GivenOption> others) {
  for (const auto& other : others)
    if (other.is_given) return fail(ErrorCode::kUsage, cannot_be_used_together(option, other.name));
  return {};
}

std::string cannot_be_used_together(std::string_view a, std::string_view b) {
  return fmt::format("'{}' and '{}' cannot be used together", a, b);
}

}  // namespace macaw::app
