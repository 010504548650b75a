#pragma once
#include <string_view>

#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

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
