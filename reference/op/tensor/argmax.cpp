#include <algorithm>

#include "reference/fast/reduce/float_fold.hpp"

namespace macaw::tosa {
namespace {

constexpr Argument kArguments[] = {
    {Category::kInput, "input", "in_t", "shape1", 1},
    {Category::kAttribute, "axis", "i32_t"},
    {Category::kAttribute, "nan_mode", "nan_propagation_mode_t"},
    {Category::kOutput, "output", "out_t", "shape", 0},
};
constexpr std::string_view kTypes[] = {"in_t", "out_t"};

Shape without_axis(const View& v) {
  Shape shape = v.in_shape(0);
  shape.erase(shape.begin() + v.attr(Attr::k_axis));
  return shape;
}

Result<std::vector<Shape>> shapes(const View& v) {
  if (axis_out_of_range(v)) return fail(ErrorCode::kInvalidGraph, "axis is not one of the input's");
  return std::vector<Shape>{without_axis(v)};
}

constexpr Check kChecks[] = {
    kAxisInRange,
    {Rule::kErrorIf, "output", "the output must have the input's shape without the axis",
     [](const View& v) { return !axis_out_of_range(v) && v.out_shape(0) != without_axis(v); }},
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
    {{DType::kINT8, DType::kINT32}, kInProInt, 0, kernel<std::int8_t, std::int32_t>},
    {{DType::kINT16, DType::kINT32}, kInExtInt16, 0, kernel<std::int16_t, std::int32_t>},
    {{DType::kINT8, DType::kINT64}, kInExtInt64, 1, kernel<std::int8_t, std::int64_t>},
    {{DType::kINT16, DType::kINT64}, kInExtInt64, 1, kernel<std::int16_t, std::int64_t>},
    {{DType::kINT32, DType::kINT64}, kInExtInt64, 1, kernel<std::int32_t, std::int64_t>},
    {{DType::kINT64, DType::kINT64}, kInExtInt64, 1, kernel<std::int64_t, std::int64_t>},
    {{DType::kFP8E4M3, DType::kINT32}, kInExtFp8E4M3, 0, kFloat},
    {{DType::kFP8E5M2, DType::kINT32}, kInExtFp8E5M2, 0, kFloat},
    {{DType::kFP16, DType::kINT32}, kInProFp, 0, kFloat},
    {{DType::kBF16, DType::kINT32}, kInExtBf16, 0, kFloat},
    {{DType::kFP32, DType::kINT32}, kInProFp, 0, kFloat},
    {{DType::kFP8E4M3, DType::kINT64}, all_of(Profile::kExtFp8E4M3, Profile::kExtInt64), 1, kFloat64},
    {{DType::kFP8E5M2, DType::kINT64}, all_of(Profile::kExtFp8E5M2, Profile::kExtInt64), 1, kFloat64},
    {{DType::kFP16, DType::kINT64}, all_of(Profile::kProFp, Profile::kExtInt64), 1, kFloat64},
    {{DType::kBF16, DType::kINT64}, all_of(Profile::kExtBf16, Profile::kExtInt64), 1, kFloat64},
    {{DType::kFP32, DType::kINT64}, all_of(Profile::kProFp, Profile::kExtInt64), 1, kFloat64},
};

}  // namespace

extern constexpr Definition kARGMAX = {Op::kARGMAX, kArguments, kTypes, kRows, kChecks, shapes};

}  // namespace macaw::tosa
