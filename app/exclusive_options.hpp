#pragma once
#include <macaw/error.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace macaw::app {

/// An option as a call names it, and whether the call has it.
struct GivenOption {
  std::string_view name;
  bool is_given = false;
};

/// kUsage, "'--sequence' and '--vcd' cannot be used together", if one of `others` is given together with `option`.
[[nodiscard]] Result<void> exclude(std::string_view option, std::initializer_list<GivenOption> others);

/// The same message for any two options.
[[nodiscard]] std::string cannot_be_used_together(std::string_view a, std::string_view b);

}  // namespace macaw::app
