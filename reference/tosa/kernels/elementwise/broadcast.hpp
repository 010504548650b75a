#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "reference/tosa/kernels/best_version.hpp"
#include "reference/tosa/kernels/function_ref.hpp"
#include "reference/tosa/kernels/fusion.hpp"
#include "reference/tosa/kernels/workers.hpp"
#include "reference/tosa/op/def.hpp"

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
  void for_each_run(std::size_t first, std::size_t end, FunctionRef<void(const Run&)> f) const;

  /// Runs of several rows where one input has only the first row.
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
  /// Number of elements up to which repeating a row pays.
  static constexpr std::int64_t kRepeated = 1024;

  BroadcastWalk walk;  ///< `input` is at its row and does not advance
  std::size_t input = 0;
  std::int64_t row = 0;  ///< elements; the output's rows begin at multiples
};

/// Where the lambda of a kernel marks a broken REQUIRE: the sign bit. It has the width of the data, so that loops
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

/// pair_loop() with its function; false if a mark is negative.
template <class In, class Out>
using PairLoop = FunctionRef<bool(const In*, const In*, Out*, std::int64_t)>;

/// Applies `loop`, of two operands that advance, to the elements [first, end) of a folded broadcast.
template <class In, class Out>
bool folded_loop(const BroadcastWalk::Folded& folded, const In* a, const In* b, Out* out, std::size_t first,
                 std::size_t end, PairLoop<In, Out> loop) {
  std::array<In, BroadcastWalk::Folded::kRepeated> rows;
  const auto row = folded.row, repeated = std::ssize(rows) / row * row;
  bool holds = true;
  folded.walk.for_each_run(first, end, [&](const BroadcastWalk::Run& run) {
    const auto *x = a + run.in[0], *y = b + run.in[1];
    for (std::int64_t i = 0; i < repeated; i += row) std::copy_n(folded.input == 0 ? x : y, row, rows.begin() + i);
    for (std::int64_t i = 0; i < run.length;) {
      const auto phase = (run.out + i) % row, count = std::min(repeated - phase, run.length - i);
      const auto* repeats = rows.data() + phase;
      holds &= folded.input == 0 ? loop(repeats, y + i, out + run.out + i, count)
                                 : loop(x + i, repeats, out + run.out + i, count);
      i += count;
    }
  });
  return holds;
}

/// Calls range(first, end) for ranges of `count` elements, on the call's threads; whether all of them returned true.
[[nodiscard]] bool all_ranges(const Call& call, std::size_t count, FunctionRef<bool(std::size_t, std::size_t)> range);

/// Applies `loop` to what meets in a broadcast; `loop` is of operands that advance as those of the walk do.
template <class In, class Out>
bool walk_pairs(const Call& call, const BroadcastWalk& walk, const In* a, const In* b, Out* out,
                PairLoop<In, Out> loop) {
  const auto folded = walk.fold();
  return all_ranges(call, walk.size(), [&](std::size_t first, std::size_t end) {
    if (folded) return folded_loop<In, Out>(*folded, a, b, out, first, end, loop);
    bool holds = true;
    walk.for_each_run(first, end, [&](const BroadcastWalk::Run& run) {
      holds &= loop(a + run.in[0], b + run.in[1], out + run.out, run.length);
    });
    return holds;
  });
}

/// out[i] = f(a[i], b[i]) or f(a[i], b[i], mark) with the broadcast of a call's first two inputs, whose elements are at
/// `a` and `b`; false if some call made its mark negative.
template <class In, class Out, class F>
bool broadcast_pair(const Call& call, const In* a, const In* b, Out* out, F f) {
  const BroadcastWalk walk(call.out(0).shape(), call.inputs.first(2));
  const auto loop = walk.advances(0) == walk.advances(1) ? best_version<pair_loop<In, Out, F, true, true>>(call.kernels)
                    : walk.advances(0) ? best_version<pair_loop<In, Out, F, true, false>>(call.kernels)
                                       : best_version<pair_loop<In, Out, F, false, true>>(call.kernels);
  return walk_pairs<In, Out>(call, walk, a, b, out, [=](const In* x, const In* y, Out* to, std::int64_t count) {
    return loop(x, y, to, count, f);
  });
}

/// The same without broadcasting, in tiles.
template <class In, class Out, class F>
bool pair_of_tiles(const Call& call, F f) {
  const auto loop = best_version<pair_loop<In, Out, F, true, true>>(call.kernels);
  const auto given = call.before ? call.before->input() : 0;
  const auto* other = call.in_data<In>(1 - given).data();
  std::atomic<bool> holds = true;
  for_each_tile(call, kTileStep, kLeastElements / kTileStep, [&](const Tile& tile, std::byte* to, std::size_t pitch) {
    const auto* in = reinterpret_cast<const In*>(tile.data);
    auto* out = reinterpret_cast<Out*>(to);
    for (std::size_t row = 0; row < tile.rows; ++row) {
      const auto *x = in + row * tile.pitch, *y = other + tile.first + row * tile.stride;
      const bool fits = given == 0 ? loop(x, y, out + row * pitch, static_cast<std::int64_t>(tile.columns), f)
                                   : loop(y, x, out + row * pitch, static_cast<std::int64_t>(tile.columns), f);
      if (!fits) holds = false;
    }
  });
  return holds;
}

/// The same for inputs and an output of these types.
template <class In, class Out, class F>
[[nodiscard]] bool binary(Call& call, F f) {
  if (call.before || call.after) return pair_of_tiles<In, Out>(call, f);
  return broadcast_pair(call, call.in_data<In>(0).data(), call.in_data<In>(1).data(), call.fill_data<Out>(0).data(), f);
}

/// out[i] = f(in[i]) or f(in[i], mark); false if some call made its mark negative.
template <class In, class Out, class F>
[[nodiscard]] bool unary(Call& call, F f) {
  const auto loop = best_version<unary_loop<In, Out, F>>(call.kernels);
  std::atomic<bool> holds = true;
  for_each_tile(call, kTileStep, kLeastElements / kTileStep, [&](const Tile& tile, std::byte* to, std::size_t pitch) {
    const auto* in = reinterpret_cast<const In*>(tile.data);
    auto* out = reinterpret_cast<Out*>(to);
    for (std::size_t row = 0; row < tile.rows; ++row)
      if (!loop(in + row * tile.pitch, out + row * pitch, tile.columns, f)) holds = false;
  });
  return holds;
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
