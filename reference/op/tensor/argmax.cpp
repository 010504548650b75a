#include <algorithm>

#include "reference/fast/reduce/float_fold.hpp"
#include "reference/op/reduction/arguments.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    input("input").type("in_t").shape("shape1").least_rank(1),
    attribute("axis").type("i32_t"),
    attribute("nan_mode").type("nan_propagation_mode_t"),
    output("output").type("out_t").shape("shape"),
};
using V = ViewOf<kArguments>;
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

Shape without_axis(const V& v) {
  Shape shape = v.shape("input");
  shape.erase(shape.begin() + v.attr(Attr::k_axis));
  return shape;
}

Result<std::vector<Shape>> shapes(const V& v) {
  if (axis_out_of_range(v)) return fail(ErrorCode::kInvalidGraph, "axis is not one of the input's");
  return std::vector<Shape>{without_axis(v)};
}

constexpr Check kChecks[] = {
    kAxisInRange,
    error_if("output", "the output must have the input's shape without the axis",
             [](const V& v) { return !axis_out_of_range(v) && v.shape("output") != without_axis(v); }),
};

template <class In>
std::int64_t first_largest(const In* in, std::int64_t count) {
  std::int64_t index = 0;
  for (std::int64_t i = 1; i < count; ++i) index = in[i] > in[index] ? i : index;
  return index;
}

// The first of equal values wins.
template <class In, class Out>
Result<void> kernel(Call& call) {
  const AxisWalk walk(call);
  const auto* in = call.in_data<In>(0).data();
  auto* out = call.out_data<Out>(0).data();
  if (walk.inner == 1) {
    for (std::int64_t i = 0; i < walk.outer; ++i)
      out[i] = static_cast<Out>(first_largest(in + i * walk.extent, walk.extent));
    return {};
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
  return {};
}

/// The first of equal values wins; a NaN is greater than every number, or if NaNs are ignored less.
template <bool kIgnoreNan, class T>
bool wins(T value, T best) {
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

template <class Out>
struct Float {
  template <class T>
  static Result<void> run(Call& call) {
    ignores_nan(call) ? find<true, T>(call) : find<false, T>(call);
    return {};
  }

 private:
  template <bool kIgnoreNan, class T>
  static void find(const Call& call) {
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
};
constexpr Kernel kFloat = float_kernel<Float<std::int32_t>>, kFloat64 = float_kernel<Float<std::int64_t>>;

constexpr TypeRow kRows[] = {
    row({kINT8, kINT32}).in(kProInt).by(kernel<std::int8_t, std::int32_t>),
    row({kINT16, kINT32}).in(kExtInt16).by(kernel<std::int16_t, std::int32_t>),
    row({kINT8, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int8_t, std::int64_t>),
    row({kINT16, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int16_t, std::int64_t>),
    row({kINT32, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int32_t, std::int64_t>),
    row({kINT64, kINT64}).in(kExtInt64).since(1, 1).by(kernel<std::int64_t, std::int64_t>),
    row({kFP8E4M3, kINT32}).in(kExtFp8E4M3).by(kFloat),
    row({kFP8E5M2, kINT32}).in(kExtFp8E5M2).by(kFloat),
    row({kFP16, kINT32}).in(kProFp).by(kFloat),
    row({kBF16, kINT32}).in(kExtBf16).by(kFloat),
    row({kFP32, kINT32}).in(kProFp).by(kFloat),
    row({kFP8E4M3, kINT64}).in(kExtFp8E4M3, kExtInt64).since(1, 1).by(kFloat64),
    row({kFP8E5M2, kINT64}).in(kExtFp8E5M2, kExtInt64).since(1, 1).by(kFloat64),
    row({kFP16, kINT64}).in(kProFp, kExtInt64).since(1, 1).by(kFloat64),
    row({kBF16, kINT64}).in(kExtBf16, kExtInt64).since(1, 1).by(kFloat64),
    row({kFP32, kINT64}).in(kProFp, kExtInt64).since(1, 1).by(kFloat64),
};

}  // namespace

extern constexpr Definition kARGMAX = {Op::kARGMAX, kArguments, kTypes, kRows, kChecks, named<shapes>};

}  // namespace macaw::tosa
