#pragma once
#include <macaw/tosa/graph.hpp>

#include <optional>

namespace macaw::reduce {

/// A tensor's first elements along every axis; none if it has fewer, or another rank.
[[nodiscard]] std::optional<Tensor> corner(const Tensor& tensor, const Shape& shape);
/// Changes the contents of a value for one operator only: its operand becomes a separate constant.
void set_constant(tosa::Block& block, std::size_t op, std::size_t operand, Tensor tensor);

/// A graph with smaller inputs, or smaller constants of some operators, and the shapes that follow for everything after
/// them: filters, biases, scales and other constants keep their first elements. None if an operator does not accept
/// such shapes.
[[nodiscard]] std::optional<tosa::Graph> fit_constants(tosa::Graph graph);

}  // namespace macaw::reduce
