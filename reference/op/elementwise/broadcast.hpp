#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reference/op/def.hpp"

namespace macaw::tosa {

/// broadcast_shape of the specification over all inputs; an error if ranks or extents do not go together.
[[nodiscard]] Result<Shape> broadcast_shape(std::span<const Operand> inputs);

/// Shape function and check of operators whose inputs from the first to the last broadcast.
[[nodiscard]] Result<std::vector<Shape>> broadcast_shapes(const View& view);
[[nodiscard]] bool breaks_broadcast(const View& view);
/// The same for operators whose first two inputs only broadcast (MUL has a third one).
[[nodiscard]] Result<std::vector<Shape>> broadcast_pair_shapes(const View& view);
[[nodiscard]] bool breaks_broadcast_pair(const View& view);

inline constexpr std::string_view kBroadcastRule =
    "the shapes must have equal ranks and broadcast, extent by extent, to the output's";
inline constexpr Check kBroadcastCheck{Rule::kErrorIf, "output", kBroadcastRule, breaks_broadcast};

/// Walks a broadcast as runs of elements contiguous in the output: within a run each input advances by 0 or 1.
class BroadcastWalk {
 public:
  static constexpr std::size_t kMaxInputs = 3;
  struct Run {
    std::int64_t out = 0;
    std::array<std::int64_t, kMaxInputs> in{};
  };

  /// Every input must broadcast to `out`.
  BroadcastWalk(const Shape& out, std::span<const Tensor* const> inputs);

  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] bool advances(std::size_t input) const { return advance_[input]; }

  /// Calls f(Run) for every run.
  template <class F>
  void for_each_run(F f) const {
    Run run;
    std::vector<std::int64_t> index(outer_.size(), 0);
    for (std::int64_t i = 0; i < runs_; ++i) {
      f(run);
      run.out += length_;
      for (std::size_t axis = outer_.size(); axis-- > 0;) {
        const auto& dimension = outer_[axis];
        for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] += dimension.stride[k];
        if (++index[axis] < dimension.extent) break;
        for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] -= dimension.stride[k] * dimension.extent;
        index[axis] = 0;
      }
    }
  }

 private:
  struct Dimension {
    std::int64_t extent = 1;
    std::array<std::int64_t, kMaxInputs> stride{};
  };
  std::vector<Dimension> outer_;
  std::int64_t runs_ = 0, length_ = 0;
  std::array<bool, kMaxInputs> advance_{};
};

/// Where the lambda of a kernel marks a broken REQUIRE: the sign bit. Of the width of the data, so that loops
/// vectorise.
template <class Out>
using Mark = std::conditional_t<std::signed_integral<Out>, Out, std::int8_t>;

/// out[i] = apply(a[i], b[i]) with the broadcast of a call's first two inputs, whose elements are at `a` and `b`.
template <class In, class Out, class F>
void broadcast_pair(const Call& call, const In* a, const In* b, Out* out, F apply) {
  const BroadcastWalk walk(call.out(0).shape(), call.inputs.first(2));
  const auto length = walk.length();
  walk.for_each_run([&](const BroadcastWalk::Run& run) {
    auto* to = out + run.out;
    const auto* x = a + run.in[0];
    const auto* y = b + run.in[1];
    if (walk.advances(0) && walk.advances(1)) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = apply(x[i], y[i]);
    } else if (walk.advances(0)) {
      const auto right = *y;
      for (std::int64_t i = 0; i < length; ++i) to[i] = apply(x[i], right);
    } else if (walk.advances(1)) {
      const auto left = *x;
      for (std::int64_t i = 0; i < length; ++i) to[i] = apply(left, y[i]);
    } else {
      const auto value = apply(*x, *y);
      for (std::int64_t i = 0; i < length; ++i) to[i] = value;
    }
  });
}

/// out[i] = f(a[i], b[i]) or f(a[i], b[i], mark) with broadcasting; false if some call made its mark negative.
template <class In, class Out, class F>
[[nodiscard]] bool binary(Call& call, F f) {
  Mark<Out> mark = 0;
  const auto apply = [&](In a, In b) -> Out {
    if constexpr (std::invocable<F, In, In>) return f(a, b);
    else return f(a, b, mark);
  };
  broadcast_pair(call, call.in_data<In>(0).data(), call.in_data<In>(1).data(), call.fill_data<Out>(0).data(), apply);
  return mark >= 0;
}

/// out[i] = f(in[i]) or f(in[i], mark); false if some call made its mark negative.
template <class In, class Out, class F>
[[nodiscard]] bool unary(Call& call, F f) {
  Mark<Out> mark = 0;
  const auto in = call.in_data<In>(0);
  const auto out = call.fill_data<Out>(0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if constexpr (std::invocable<F, In>) out[i] = f(in[i]);
    else out[i] = f(in[i], mark);
  }
  return mark >= 0;
}

/// Kernels of operators without a REQUIRE.
template <class In, class Out, auto F>
Result<void> binary_kernel(Call& call) {
  (void)binary<In, Out>(call, F);
  return {};
}
template <class In, class Out, auto F>
Result<void> unary_kernel(Call& call) {
  (void)unary<In, Out>(call, F);
  return {};
}

}  // namespace macaw::tosa
