#pragma once
#include <macaw/error.hpp>

#include <string>

#include "tosa_v1_generated.h"

namespace macaw::tosa {

/// kUnsupported if a graph of 1.1 has the numbers that Macaw gave operators and types before Arm's were public.
[[nodiscard]] Result<void> check_numbers(const v1::TosaGraph& graph, const std::string& name);

}  // namespace macaw::tosa
