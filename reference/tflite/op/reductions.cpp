#include "reference/tflite/op/reductions.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/reduce_common.cc,
// tensorflow/lite/kernels/internal/reference/reduce.h.
namespace macaw::tflite {

Result<Reduction> Reduction::create(Call& call) {
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* axes, call.input(1));
  MACAW_ASSIGN(const auto list, integers(*axes, "the axes"));
  Reduction r;
  r.extents = in->shape();
  for (const auto axis : list) {
    if (in->rank() == 0) break;  // of a scalar they are not looked at
    MACAW_ASSIGN(const std::size_t a, normal_axis(axis, in->rank()));
    if (std::ranges::find(r.axes, a) == r.axes.end()) r.axes.push_back(a);
  }
  std::ranges::sort(r.axes);
  Shape kept, dropped;
  for (std::size_t a = 0; a < in->rank(); ++a) {
    const bool is_folded = std::ranges::binary_search(r.axes, a);
    if (is_folded) r.count *= r.extents[a];
    else dropped.push_back(r.extents[a]);
    kept.push_back(is_folded ? 1 : r.extents[a]);
  }
  if (call.output().shape() != kept && call.output().shape() != dropped)
    return invalid(fmt::format("the output has shape {}, not {} or {}", to_string(call.output().shape()),
                               to_string(kept), to_string(dropped)));
  r.output_stride.assign(in->rank(), 0);
  std::size_t stride = 1;
  for (std::size_t a = in->rank(); a-- > 0;) {
    if (std::ranges::binary_search(r.axes, a)) continue;
    r.output_stride[a] = stride;
    stride *= static_cast<std::size_t>(r.extents[a]);
  }
  MACAW_CHECK(call.account(in->size()));
  return r;
}

Result<FixedMultiplier> mean_or_sum_ratio(Affine from, Affine to, std::int64_t count, bool is_mean) {
  MACAW_ASSIGN(auto ratio, fixed_multiplier(double{from.scale} / double{to.scale}));
  if (!is_mean || count == 0) return ratio;
  // The division truncates the multiplier.
  const int shift =
      std::min({static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 1, 32, 31 + ratio.shift});
  ratio.multiplier = static_cast<std::int32_t>((std::int64_t{ratio.multiplier} << shift) / count);
  ratio.shift -= shift;
  return ratio;
}

}  // namespace macaw::tflite

namespace macaw::tflite::reductions {
namespace {

/// out = fold(out, in), from `first`.
template <class T, class F>
Result<void> fold(Call& call, const Reduction& reduction, T first, F&& f) {
  const auto in = call.inputs[0].value->data<T>();
  const auto out = call.output().uninitialized_data<T>();
  std::fill(out.begin(), out.end(), first);
  reduction.for_each([&](std::size_t o, std::size_t i) { out[o] = f(out[o], in[i]); });
  return {};
}

template <class T>
Result<void> scaled(Call& call, const Reduction& r, Affine from, FixedMultiplier ratio, Affine to) {
  const auto in = call.inputs[0].value->data<T>();
  const auto out = call.output().uninitialized_data<T>();
  std::vector<std::uint32_t> sums(out.size());
  r.for_each([&](std::size_t o, std::size_t i) { sums[o] += static_cast<std::uint32_t>(in[i]); });
  if (r.count == 0) {
    std::fill(out.begin(), out.end(), T{0});
    return {};
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto sum = static_cast<std::int32_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(sums[i])) -
                                               from.zero_point * r.count);
    out[i] = clamped<T>(std::int64_t{scale(sum, ratio)} + to.zero_point);
  }
  return {};
}

/// The mean, or the sum, of quantised values.
Result<void> quantized_mean_or_sum(Call& call, const Reduction& reduction, bool is_mean) {
  MACAW_ASSIGN(const Affine from, affine(call.inputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(const auto ratio, mean_or_sum_ratio(from, to, reduction.count, is_mean));
  return with_quantized(call.output().dtype(), [&]<class T>(T) { return scaled<T>(call, reduction, from, ratio, to); });
}

Result<void> sum(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype == DType::kFP32) return fold<float>(call, reduction, 0, [](float sum, float value) { return sum + value; });
  if (dtype == DType::kINT32)
    return fold<std::int32_t>(call, reduction, 0, [](std::int32_t sum, std::int32_t value) {
      return static_cast<std::int32_t>(std::int64_t{sum} + value);
    });
  return quantized_mean_or_sum(call, reduction, false);
}

Result<void> mean(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (dtype != DType::kFP32) return quantized_mean_or_sum(call, reduction, true);
  MACAW_CHECK(fold<float>(call, reduction, 0, [](float sum, float value) { return sum + value; }));
  if (reduction.count > 0)
    for (float& value : call.output().data<float>()) value /= static_cast<float>(reduction.count);
  return {};
}

template <bool kIsMaximum>
Result<void> largest_or_smallest(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  const DType dtype = call.inputs[0].value->dtype();
  MACAW_CHECK(expect(call.output(), dtype, "the output"));
  if (is_quantized(dtype)) MACAW_CHECK(expect_same_quantization(call.inputs[0], call.outputs[0]));
  return with_number(dtype, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    return fold<T>(call, reduction, kIsMaximum ? Limits::lowest() : Limits::max(),
                   [](T x, T y) { return kIsMaximum ? std::max(x, y) : std::min(x, y); });
  });
}

template <class F, bool kFirst>
Result<void> of_bools(Call& call) {
  MACAW_ASSIGN(const Reduction reduction, Reduction::create(call));
  MACAW_CHECK(expect(*call.inputs[0].value, DType::kBOOL, "the input"));
  MACAW_CHECK(expect(call.output(), DType::kBOOL, "the output"));
  return fold<bool>(call, reduction, kFirst, F());
}

constexpr Definition kDefinitions[] = {
    {"SUM", 2, 2, 1, 1, sum},
    {"MEAN", 2, 2, 1, 1, mean},
    {"REDUCE_MAX", 2, 2, 1, 1, largest_or_smallest<true>},
    {"REDUCE_MIN", 2, 2, 1, 1, largest_or_smallest<false>},
    {"REDUCE_ALL", 2, 2, 1, 1, of_bools<std::logical_and<>, true>},
    {"REDUCE_ANY", 2, 2, 1, 1, of_bools<std::logical_or<>, false>},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::reductions
