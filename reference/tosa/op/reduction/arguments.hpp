#pragma once
#include "reference/tosa/op/float_rows.hpp"

// Arguments shared by the REDUCE operators.

namespace macaw::tosa {

inline constexpr std::string_view kReductionTypes[] = {"in_out_t"};
inline constexpr Argument kReductionArguments[] = {
    input("input").type("in_out_t").shape("shape1").least_rank(1),
    attribute("axis").type("i32_t"),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
inline constexpr Argument kNanReductionArguments[] = {
    input("input").type("in_out_t").shape("shape1").least_rank(1),
    attribute("axis").type("i32_t"),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("in_out_t").shape("shape").least_rank(1),
};
using Reduction = ViewOf<kReductionArguments>;

/// Whether the attribute axis is none of the first input's.
[[nodiscard]] bool axis_out_of_range(const View& view);
inline constexpr Check kAxisInRange =
    error_if("axis", "axis must be at least 0 and less than the input's rank", axis_out_of_range);

/// The input's shape with 1 for the axis.
[[nodiscard]] Result<std::vector<Shape>> reduced_shapes(const View& view);

inline constexpr Check kReducedShape = error_if(
    "output", "the output must have the input's shape with 1 for the axis",
    [](const Reduction& v) { return !axis_out_of_range(v) && reduced_shapes(v)->front() != v.shape("output"); });
inline constexpr Check kReductionChecks[] = {kAxisInRange, kReducedShape};

}  // namespace macaw::tosa
