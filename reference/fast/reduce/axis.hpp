#pragma once
#include <string_view>

#include "reference/op/def.hpp"

namespace macaw::tosa {

inline bool axis_out_of_range(const View& v) {
  const auto axis = v.attr(Attr::k_axis);
  return axis < 0 || axis >= v.in_rank(0);
}
inline constexpr Check kAxisInRange{Rule::kErrorIf, "axis", "axis must be at least 0 and less than the input's rank",
                                    axis_out_of_range};

/// The input as [outer, extent of the axis, inner].
struct AxisWalk {
  std::int64_t outer = 1, extent = 1, inner = 1;

  explicit AxisWalk(const Call& call) {
    const auto& shape = call.in(0).shape();
    const auto axis = static_cast<std::size_t>(call.attr(Attr::k_axis));
    extent = shape[axis];
    for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  }
};

// What the REDUCE operators share.
inline constexpr std::string_view kReductionTypes[] = {"in_out_t"};
inline constexpr Argument kReductionArguments[] = {
    {Category::kInput, "input", "in_out_t", "shape1", 1},
    {Category::kAttribute, "axis", "i32_t"},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};
inline constexpr Argument kNanReductionArguments[] = {
    {Category::kInput, "input", "in_out_t", "shape1", 1},
    {Category::kAttribute, "axis", "i32_t"},
    {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
    {Category::kOutput, "output", "in_out_t", "shape", 1},
};

/// The input's shape with 1 for the axis.
[[nodiscard]] Result<std::vector<Shape>> reduced_shapes(const View& view);
[[nodiscard]] bool differs_from_reduced(const View& view);

inline constexpr Check kReductionChecks[] = {
    kAxisInRange,
    {Rule::kErrorIf, "output", "the output must have the input's shape with 1 for the axis", differs_from_reduced},
};

/// Folds along the axis, in its order: out = apply(out, value) from `start` on.
template <class T, class F>
void fold(const AxisWalk& walk, const T* in, T* out, T start, F apply) {
  for (std::int64_t outer = 0; outer < walk.outer; ++outer, out += walk.inner) {
    if (walk.inner == 1) {
      T value = start;
      for (std::int64_t i = 0; i < walk.extent; ++i) value = apply(value, in[i]);
      *out = value;
      in += walk.extent;
      continue;
    }
    for (std::int64_t k = 0; k < walk.inner; ++k) out[k] = start;
    for (std::int64_t i = 0; i < walk.extent; ++i, in += walk.inner)
      for (std::int64_t k = 0; k < walk.inner; ++k) out[k] = apply(out[k], in[k]);
  }
}

/// fold() of a call's input; f may take a third argument to mark a broken REQUIRE in its sign bit; false if it did.
template <class T, class F>
[[nodiscard]] bool reduce(Call& call, T start, F f) {
  using Mark = std::conditional_t<std::is_same_v<T, bool>, std::int8_t, T>;
  Mark mark = 0;
  const auto apply = [&](T a, T b) -> T {
    if constexpr (std::is_invocable_v<F, T, T>) return f(a, b);
    else return f(a, b, mark);
  };
  fold(AxisWalk(call), call.in_data<T>(0).data(), call.out_data<T>(0).data(), start, apply);
  return mark >= 0;
}

}  // namespace macaw::tosa
