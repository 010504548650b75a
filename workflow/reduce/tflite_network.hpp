#pragma once
#include <span>
#include <string>

#include "workflow/reduce/network.hpp"

namespace macaw::reduce {

/// A network of the bytes of a .tflite. Errors: those of tflite::parse_network().
[[nodiscard]] Result<NetworkPtr> make_network(std::span<const std::byte> bytes, const std::string& name);

}  // namespace macaw::reduce
