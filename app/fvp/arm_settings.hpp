#pragma once
#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// A parameter of Arm's virtual platform, "mps3_board.uart0.out_file=-", as its -C takes it. What Macaw does not know
/// or do is ignored, with a sentence in `warnings`. kUsage: no NAME=VALUE, or no value that the parameter has.
[[nodiscard]] Result<void> apply_setting(Application& application, const std::string& text,
                                         std::vector<std::string>& warnings);

/// The parameters of a configuration file, as the platform's -f takes it: a NAME=VALUE each line, and comments after
/// "#". kIo: it cannot be read; kUsage names the line.
[[nodiscard]] Result<void> apply_file(Application& application, const std::string& file,
                                      std::vector<std::string>& warnings);

/// The parameters that Macaw knows, as a configuration file that sets each to its default.
[[nodiscard]] std::string list_parameters(const Application& application);

}  // namespace macaw::app::fvp
