#pragma once
#include "app/fvp/application.hpp"

namespace macaw::app::fvp {

/// Applies a parameter of Arm's virtual platform in the form of its -C, "mps3_board.uart0.out_file=-". Unknown and
/// unsupported parameters are ignored, with a sentence in `warnings`. kUsage: not NAME=VALUE, or an invalid value.
[[nodiscard]] Result<void> apply_setting(Application& application, const std::string& text,
                                         std::vector<std::string>& warnings);

/// Applies the parameters of a configuration file in the form of the platform's -f: one NAME=VALUE per line, and
/// comments after "#". kIo: it cannot be read; kUsage names the line.
[[nodiscard]] Result<void> apply_file(Application& application, const std::string& file,
                                      std::vector<std::string>& warnings);

/// All known parameters, as a configuration file with their defaults.
[[nodiscard]] std::string list_parameters(const Application& application);

}  // namespace macaw::app::fvp
