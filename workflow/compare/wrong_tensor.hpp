#pragma once
#include "workflow/compare/locate.hpp"

#include <optional>
#include <span>

namespace macaw::compare {

/// What was written as a tensor like the graph's; none if it has another size.
[[nodiscard]] std::optional<Tensor> like(const Tensor& expected, std::span<const std::byte> contents);

/// How far what was written is from what the graph gives.
void describe_difference(WrongOperator& wrong, const Tensor& expected, std::span<const std::byte> contents);

}  // namespace macaw::compare
