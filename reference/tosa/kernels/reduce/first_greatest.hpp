#pragma once
#include "reference/tosa/kernels/reduce/float_fold.hpp"

// Positions of the greatest elements along an axis; the first of equal ones wins.

namespace macaw::tosa {

template <class In>
[[nodiscard]] std::int64_t first_greatest_of(const In* in, std::int64_t count) {
  std::int64_t index = 0;
  for (std::int64_t i = 1; i < count; ++i) index = in[i] > in[index] ? i : index;
  return index;
}

template <class In, class Out>
void first_greatest(Call& call) {
  const AxisWalk walk(call);
  const auto* in = call.in_data<In>(0).data();
  auto* out = call.out_data<Out>(0).data();
  if (walk.inner == 1) {
    for (std::int64_t i = 0; i < walk.outer; ++i)
      out[i] = static_cast<Out>(first_greatest_of(in + i * walk.extent, walk.extent));
    return;
  }
  std::vector<In> best(static_cast<std::size_t>(walk.inner));
  for (std::int64_t outer = 0; outer < walk.outer; ++outer, out += walk.inner) {
    std::copy_n(in, walk.extent == 0 ? 0 : walk.inner, best.begin());
    for (std::int64_t i = 0; i < walk.extent; ++i, in += walk.inner)
      for (std::int64_t k = 0; k < walk.inner; ++k) {
        const bool greater = in[k] > best[static_cast<std::size_t>(k)];
        out[k] = greater ? static_cast<Out>(i) : out[k];
        best[static_cast<std::size_t>(k)] = std::max(in[k], best[static_cast<std::size_t>(k)]);
      }
  }
}

/// Whether a value is greater; a NaN is greater than every number, or if NaNs are ignored less.
template <bool kIgnoreNan, class T>
[[nodiscard]] bool wins(T value, T best) {
  const bool nan = value != value, was_nan = best != best;
  return value > best || (kIgnoreNan ? was_nan && !nan : nan && !was_nan);
}

template <bool kIgnoreNan, class T, class Out>
void improve(const T* values, Out i, std::size_t count, T* best, Out* index) {
  for (std::size_t k = 0; k < count; ++k) {
    const bool better = wins<kIgnoreNan>(values[k], best[k]);
    index[k] = better ? i : index[k];
    best[k] = better ? values[k] : best[k];
  }
}

template <bool kIgnoreNan, class T, class Out>
void float_first_greatest(const Call& call) {
  struct Fold {
    Out* out;
    void (*loop)(const T*, Out, std::size_t, T*, Out*);
    Out* index;
    alignas(64) std::array<T, kFloatBlock> best;

    void begin(std::size_t output, std::size_t count) {
      index = out + output;
      std::fill_n(index, count, Out{0});
    }
    void step(std::size_t i, const T* values, std::size_t count) {
      if (i == 0) std::copy_n(values, count, best.begin());
      else loop(values, static_cast<Out>(i), count, best.data(), index);
    }
    void along(std::size_t o, std::size_t first, const T* values, std::size_t count) {
      auto greatest = first == 0 ? values[0] : best[o];
      for (std::size_t i = 0; i < count; ++i)
        if (wins<kIgnoreNan>(values[i], greatest)) {
          index[o] = static_cast<Out>(first + i);
          greatest = values[i];
        }
      best[o] = greatest;
    }
    void finish(std::size_t, std::size_t) {}
  };
  const AxisWalk walk(call);
  auto* out = call.fill_data<Out>(0).data();
  const auto loop = best_version<improve<kIgnoreNan, T, Out>>(call.kernels);
  split(call, static_cast<std::size_t>(walk.outer * walk.inner), least_outputs(walk),
        [&](std::size_t first, std::size_t end) {
          Fold fold{out, loop, out, {}};
          walk_fold<T>(walk, call.in(0), first, end, fold);
        });
}

template <class T, class Out>
void float_first_greatest(const Call& call) {
  ignores_nan(call) ? float_first_greatest<true, T, Out>(call) : float_first_greatest<false, T, Out>(call);
}

}  // namespace macaw::tosa
