#pragma once
#include <string>
#include <vector>

#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Before the run: a CUSTOM must name an operator of a loaded library (else kUnsupported), and its `check` is asked if
/// all shapes are known. Returns whether the operator may run.
[[nodiscard]] Result<bool> check_custom(const View& view, const std::string& place, std::vector<BrokenRule>& findings);

}  // namespace macaw::tosa
