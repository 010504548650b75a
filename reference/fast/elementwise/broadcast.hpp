#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "reference/fast/best_version.hpp"
#include "reference/fast/workers.hpp"
#include "reference/op/def.hpp"

namespace macaw::tosa {

/// Walks a broadcast as runs of elements contiguous in the output: within a run each input advances by 0 or 1.
class BroadcastWalk {
 public:
  static constexpr std::size_t kMaxInputs = 3;
  /// A run, or a part of one.
  struct Run {
    std::int64_t out = 0, length = 0;
    std::array<std::int64_t, kMaxInputs> in{};
  };

  /// Every input must broadcast to `out`.
  BroadcastWalk(const Shape& out, std::span<const Tensor* const> inputs);

  /// Elements of the output.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(runs_ * length_); }
  [[nodiscard]] bool advances(std::size_t input) const { return advance_[input]; }

  /// Calls f(Run) for the runs of the elements [first, end) of the output.
  template <class F>
  void for_each_run(std::size_t first_element, std::size_t end_element, F f) const {
    const auto first = static_cast<std::int64_t>(first_element), end = static_cast<std::int64_t>(end_element);
    if (first >= end) return;
    // The place of the first element.
    Run run{first, 0, {}};
    std::vector<std::int64_t> index(outer_.size(), 0);
    auto rest = first / length_;
    for (std::size_t axis = outer_.size(); axis-- > 0; rest /= outer_[axis].extent) {
      index[axis] = rest % outer_[axis].extent;
      for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] += outer_[axis].stride[k] * index[axis];
    }
    for (auto skipped = first % length_;; skipped = 0) {
      auto part = run;
      part.length = std::min(length_ - skipped, end - run.out);
      for (std::size_t k = 0; k < kMaxInputs; ++k) part.in[k] += advance_[k] ? skipped : 0;
      f(part);
      run.out += part.length;
      if (run.out >= end) return;
      for (std::size_t axis = outer_.size(); axis-- > 0;) {
        const auto& dimension = outer_[axis];
        for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] += dimension.stride[k];
        if (++index[axis] < dimension.extent) break;
        for (std::size_t k = 0; k < kMaxInputs; ++k) run.in[k] -= dimension.stride[k] * dimension.extent;
        index[axis] = 0;
      }
    }
  }

  /// Runs of several rows, of which one input has only the first.
  struct Folded;
  /// If the runs are short, and the next axis repeats one input (that has an element for each channel) often.
  [[nodiscard]] std::optional<Folded> fold() const;

 private:
  struct Dimension {
    std::int64_t extent = 1;
    std::array<std::int64_t, kMaxInputs> stride{};
  };
  std::vector<Dimension> outer_;
  std::int64_t runs_ = 0, length_ = 0;
  std::array<bool, kMaxInputs> advance_{};
};

struct BroadcastWalk::Folded {
  /// Elements that are worth repeating a row for.
  static constexpr std::int64_t kRepeated = 1024;

  BroadcastWalk walk;  ///< `input` is at its row and does not advance
  std::size_t input = 0;
  std::int64_t row = 0;  ///< elements; the output's rows begin at multiples
};

/// Where the lambda of a kernel marks a broken REQUIRE: the sign bit. Of the width of the data, so that loops
/// vectorise.
template <class Out>
using Mark = std::conditional_t<std::signed_integral<Out>, Out, std::int8_t>;

/// f(in...) or f(in..., mark).
template <class F, class M, class... In>
[[nodiscard]] auto apply_marked(F& f, M& mark, In... in) {
  if constexpr (std::invocable<F&, In...>) return f(in...);
  else return f(in..., mark);
}

/// out[i] = f(a[i], b[i]), where operands that do not advance are one element; false if a mark is negative.
template <class In, class Out, class F, bool kAdvanceA, bool kAdvanceB>
bool pair_loop(const In* a, const In* b, Out* out, std::int64_t count, F f) {
  Mark<Out> mark = 0;
  const In first_a = *a, first_b = *b;
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = apply_marked(f, mark, kAdvanceA ? a[i] : first_a, kAdvanceB ? b[i] : first_b);
  return mark >= 0;
}

template <class In, class Out, class F>
bool unary_loop(const In* in, Out* out, std::size_t count, F f) {
  Mark<Out> mark = 0;
  for (std::size_t i = 0; i < count; ++i) out[i] = apply_marked(f, mark, in[i]);
  return mark >= 0;
}

/// Applies `loop`, of two operands that advance, to the elements [first, end) of a folded broadcast.
template <class In, class Out, class Loop, class F>
bool folded_loop(const BroadcastWalk::Folded& folded, const In* a, const In* b, Out* out, std::size_t first,
                 std::size_t end, Loop loop, F f) {
  std::array<In, BroadcastWalk::Folded::kRepeated> rows;
  const auto row = folded.row, repeated = std::ssize(rows) / row * row;
  bool holds = true;
  folded.walk.for_each_run(first, end, [&](const BroadcastWalk::Run& run) {
    const auto *x = a + run.in[0], *y = b + run.in[1];
    for (std::int64_t i = 0; i < repeated; i += row) std::copy_n(folded.input == 0 ? x : y, row, rows.begin() + i);
    for (std::int64_t i = 0; i < run.length;) {
      const auto phase = (run.out + i) % row, count = std::min(repeated - phase, run.length - i);
      const auto* repeats = rows.data() + phase;
      holds &= folded.input == 0 ? loop(repeats, y + i, out + run.out + i, count, f)
                                 : loop(x + i, repeats, out + run.out + i, count, f);
      i += count;
    }
  });
  return holds;
}

/// Calls range(first, end) for ranges of `count` elements, on the call's threads; whether all of them returned true.
template <class F>
[[nodiscard]] bool all_ranges(const Call& call, std::size_t count, F range) {
  std::atomic<bool> holds = true;
  split(call, count, kLeastElements, [&](std::size_t first, std::size_t end) {
    if (!range(first, end)) holds = false;
  });
  return holds;
}

/// out[i] = f(a[i], b[i]) or f(a[i], b[i], mark) with the broadcast of a call's first two inputs, whose elements are at
/// `a` and `b`; false if some call made its mark negative.
template <class In, class Out, class F>
bool broadcast_pair(const Call& call, const In* a, const In* b, Out* out, F f) {
  const BroadcastWalk walk(call.out(0).shape(), call.inputs.first(2));
  const auto folded = walk.fold();
  const auto loop = walk.advances(0) == walk.advances(1) ? best_version<pair_loop<In, Out, F, true, true>>(call.kernels)
                    : walk.advances(0) ? best_version<pair_loop<In, Out, F, true, false>>(call.kernels)
                                       : best_version<pair_loop<In, Out, F, false, true>>(call.kernels);
  return all_ranges(call, walk.size(), [&](std::size_t first, std::size_t end) {
    if (folded) return folded_loop(*folded, a, b, out, first, end, loop, f);
    bool holds = true;
    walk.for_each_run(first, end, [&](const BroadcastWalk::Run& run) {
      holds &= loop(a + run.in[0], b + run.in[1], out + run.out, run.length, f);
    });
    return holds;
  });
}

/// The same for inputs and an output of these types.
template <class In, class Out, class F>
[[nodiscard]] bool binary(Call& call, F f) {
  return broadcast_pair(call, call.in_data<In>(0).data(), call.in_data<In>(1).data(), call.fill_data<Out>(0).data(), f);
}

/// out[i] = f(in[i]) or f(in[i], mark); false if some call made its mark negative.
template <class In, class Out, class F>
[[nodiscard]] bool unary(Call& call, F f) {
  const auto* in = call.in_data<In>(0).data();
  const auto out = call.fill_data<Out>(0);
  const auto loop = best_version<unary_loop<In, Out, F>>(call.kernels);
  return all_ranges(call, out.size(), [&](std::size_t first, std::size_t end) {
    return loop(in + first, out.data() + first, end - first, f);
  });
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
