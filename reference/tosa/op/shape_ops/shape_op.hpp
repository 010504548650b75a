#pragma once
#include <optional>
#include <vector>

#include "reference/tosa/arith/checked.hpp"
#include "reference/tosa/op/declare.hpp"

// Code shared by the operators that compute with shapes. Their inputs are compile-time constants, so that
// validation evaluates them (Definition::shape_value) and the kernel is the same function of the tensors.

namespace macaw::tosa {

using Extents = std::vector<std::int64_t>;

inline constexpr Argument kShapeUnaryArguments[] = {
    input("input").type("shape_t").shape("[n]").rank(1).always_compile_time_constant(),
    output("output").type("shape_t").shape("[n]").rank(1),
};
/// The lengths of the inputs are compared by kEqualLengths, which the specification lists as a rule.
inline constexpr Argument kShapeBinaryArguments[] = {
    input("input1").type("shape_t").shape("[n]").rank(1).always_compile_time_constant(),
    input("input2").type("shape_t").rank(1).always_compile_time_constant(),
    output("output").type("shape_t").shape("[n]").rank(1),
};

/// Kernel of every operator with a Definition::shape_value.
[[nodiscard]] Result<void> evaluate_shape(Call& call);

inline constexpr std::string_view kShapeTypes[] = {"shape_t"};
inline constexpr TypeRow kShapeRows[] = {row({kSHAPE}).in(kExtShape).since(1, 1).by(evaluate_shape)};

using OneShape = ViewOf<kShapeUnaryArguments>;
using TwoShapes = ViewOf<kShapeBinaryArguments>;

inline constexpr Check kEqualLengths =
    error_if("input2", "input1 and input2 must have the same length",
             [](const TwoShapes& v) { return v.shape("input1") != v.shape("input2"); });

/// Whether a value is in the range of tensor_size_t: -(1 << MAX_LOG2_SIZE) to (1 << MAX_LOG2_SIZE) - 1.
[[nodiscard]] bool is_tensor_size(const View& view, Wide value);

[[nodiscard]] inline bool all_at_least(std::int64_t least, const Extents& values) {
  return std::ranges::all_of(values, [=](auto value) { return value >= least; });
}

/// Whether all results of an exact (128-bit) operation on pairs of elements are in the range of tensor_size_t.
template <class F>
bool keeps_tensor_size(const TwoShapes& view, F exact) {
  const auto a = view.ints("input1"), b = view.ints("input2");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!is_tensor_size(view, exact(Wide{a[i]}, Wide{b[i]}))) return false;
  return true;
}
inline constexpr std::string_view kTensorSizeRule = "every result must be in the range of tensor_size_t";
inline constexpr Check kDividendNotNegative =
    require_that("input1", "every element of input1 must be at least 0", [](const TwoShapes& v) {
      return all_at_least(0, v.ints("input1"));
    }).reads("input1");
inline constexpr Check kDivisorPositive =
    require_that("input2", "every element of input2 must be at least 1", [](const TwoShapes& v) {
      return all_at_least(1, v.ints("input2"));
    }).reads("input2");

/// A shape_value that applies `F` to every element, or pair of elements.
template <auto F>
std::optional<Extents> map_extents(const View& view) {
  for (const auto& input : view.inputs)
    if (!input.value) return std::nullopt;
  auto values = view.inputs[0].ints();
  if constexpr (requires { F(std::int64_t{}, std::int64_t{}); }) {
    const auto others = view.inputs[1].ints();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = F(values[i], others[i]);
  } else {
    for (auto& value : values) value = F(value);
  }
  return values;
}

}  // namespace macaw::tosa
