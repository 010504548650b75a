#pragma once
#include <macaw/tosa/graph.hpp>

#include <optional>

namespace macaw::reduce {

/// A tensor's first elements along every axis; none where it has fewer, or another rank.
[[nodiscard]] std::optional<Tensor> corner(const Tensor& tensor, const Shape& shape);
/// Gives a value other contents for one operator only: its operand becomes a constant of its own.
void set_constant(tosa::Block& block, std::size_t op, std::size_t operand, Tensor tensor);

/// A graph whose inputs, or constants of some operators, were made smaller, with everything behind them of the shapes
/// that follow: filters, biases, scales and other constants keep their first elements. None where an operator does not
/// take such shapes.
[[nodiscard]] std::optional<tosa::Graph> fit_constants(tosa::Graph graph);

}  // namespace macaw::reduce
