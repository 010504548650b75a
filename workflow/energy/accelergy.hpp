#pragma once
#include <macaw/error.hpp>

#include <map>
#include <string>

namespace macaw::energy {

/// Picojoules by "COMPONENT.ACTION" from an energy reference table that Accelergy wrote (ERT.yaml, versions 0.2 to
/// 0.4). kInvalidFile for other files.
[[nodiscard]] Result<std::map<std::string, double>> parse_accelergy(const std::string& yaml, const std::string& file);

}  // namespace macaw::energy
