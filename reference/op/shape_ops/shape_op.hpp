#pragma once
#include <optional>
#include <vector>

#include "reference/arith/checked.hpp"
#include "reference/op/def.hpp"

// What the operators that compute with shapes have in common. Their inputs are compile-time constants, so that
// validation evaluates them (Definition::shape_value) and the kernel is the same function of the tensors.

namespace macaw::tosa {

using Extents = std::vector<std::int64_t>;

inline constexpr Argument kShapeUnaryArguments[] = {
    {Category::kInput, "input", "shape_t", "[n]", 1, 1, false, true, "", true},
    {Category::kOutput, "output", "shape_t", "[n]", 1, 1},
};
/// The lengths of the inputs are compared by kEqualLengths, which the specification lists as a rule.
inline constexpr Argument kShapeBinaryArguments[] = {
    {Category::kInput, "input1", "shape_t", "[n]", 1, 1, false, true, "", true},
    {Category::kInput, "input2", "shape_t", "", 1, 1, false, true, "", true},
    {Category::kOutput, "output", "shape_t", "[n]", 1, 1},
};

/// Kernel of every operator with a Definition::shape_value.
[[nodiscard]] Result<void> evaluate_shape(Call& call);

inline constexpr std::string_view kShapeTypes[] = {"shape_t"};
inline constexpr TypeRow kShapeRows[] = {{{DType::kSHAPE}, kInExtShape, 1, evaluate_shape}};

inline constexpr Check kEqualLengths{Rule::kErrorIf, "input2", "input1 and input2 must have the same length",
                                     [](const View& v) { return v.in_shape(0) != v.in_shape(1); }};

/// Whether a value is in the range of tensor_size_t: -(1 << MAX_LOG2_SIZE) to (1 << MAX_LOG2_SIZE) - 1.
[[nodiscard]] bool is_tensor_size(const View& view, Wide value);

/// Whether some element of input `i` is below `least`.
template <std::size_t kInput, std::int64_t kLeast>
bool element_below(const View& view) {
  for (const auto value : view.in_ints(kInput))
    if (value < kLeast) return true;
  return false;
}

/// Whether some result of an exact (128-bit) operation on pairs of elements leaves the range of tensor_size_t.
template <class F>
bool leaves_tensor_size(const View& view, F exact) {
  const auto a = view.in_ints(0), b = view.in_ints(1);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!is_tensor_size(view, exact(Wide{a[i]}, Wide{b[i]}))) return true;
  return false;
}
inline constexpr std::string_view kTensorSizeRule = "every result must be in the range of tensor_size_t";
inline constexpr std::uint32_t kBothValues = value_of(0) | value_of(1);

inline constexpr Check kDividendNotNegative{Rule::kRequire, "input1", "every element of input1 must be at least 0",
                                            element_below<0, 0>, value_of(0)};
inline constexpr Check kDivisorPositive{Rule::kRequire, "input2", "every element of input2 must be at least 1",
                                        element_below<1, 1>, value_of(1)};

/// A shape_value that applies `F` to every element, or pair of elements.
template <auto F>
std::optional<Extents> map_extents(const View& view) {
  for (const auto& input : view.inputs)
    if (!input.value) return std::nullopt;
  auto values = view.in_ints(0);
  if constexpr (requires { F(std::int64_t{}, std::int64_t{}); }) {
    const auto others = view.in_ints(1);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = F(values[i], others[i]);
  } else {
    for (auto& value : values) value = F(value);
  }
  return values;
}

}  // namespace macaw::tosa
