#pragma once
#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// A parameter of Arm's virtual platform, "mps3_board.uart0.out_file=-", as its -C takes it. kUnsupported: one that
/// Macaw does not know; kUsage: no NAME=VALUE, or no value that the parameter has.
[[nodiscard]] Result<void> apply_setting(Application& application, const std::string& text);

}  // namespace macaw::app::fvp
