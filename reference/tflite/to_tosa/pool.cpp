#include "reference/tflite/op/pooling.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "reference/tflite/to_tosa/window.hpp"

namespace macaw::tflite {
namespace {

/// Elements of the input in every window of an axis.
std::vector<std::int64_t> counts(const WindowAxis& axis) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < axis.out; ++i)
    result.push_back(std::min(axis.origin(i) + axis.kernel, axis.in) - std::max<std::int64_t>(axis.origin(i), 0));
  return result;
}

std::set<std::int64_t> distinct(const WindowAxis& axis) {
  const auto all = counts(axis);
  return {all.begin(), all.end()};
}

/// The kernel's mean: halves away from zero.
std::int64_t mean(std::int64_t sum, std::int64_t count) {
  return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

/// Whether AVG_POOL2D, which multiplies by a reciprocal and rounds halves up (tosa-specification, reciprocal_scale and
/// apply_scale_32), has the kernel's mean for every sum of `count` elements.
bool is_exact(std::int64_t count, Interval element) {
  constexpr std::int64_t kMostSums = 1 << 24;
  if (count > kMostSums / (element.max - element.min + 1)) return false;
  const int k = std::bit_width(static_cast<std::uint64_t>(count - 1)), shift = 30 + k;
  const std::int64_t multiplier = (((std::int64_t{1} << 30) + 1) << k) / count;
  for (std::int64_t sum = element.min * count; sum <= element.max * count; ++sum)
    if ((sum * multiplier + (std::int64_t{1} << (shift - 1))) >> shift != mean(sum, count)) return false;
  return true;
}

struct Average {
  const Pool& pool;
  Window window;
  std::int32_t zero;                ///< the stored element that stands for 0
  Interval element;                 ///< of a stored element less `zero`
  std::set<std::int64_t> distinct;  ///< numbers of elements in windows
};

Attributes pool_attributes(const Window& window) {
  return {{Attr::k_kernel, std::vector{window.y.kernel, window.x.kernel}},
          {Attr::k_stride, std::vector{window.y.stride, window.x.stride}},
          {Attr::k_pad, window.pad()}};
}

/// Sums over the windows, each element `factor` times.
ValueId sums(Lowering& lowering, const Average& a, ValueId x, std::int8_t factor) {
  auto& tosa = lowering.tosa;
  const bool is_wide = tosa.dtype(x) == DType::kINT16;
  const DType sum = is_wide ? DType::kINT48 : DType::kINT32;
  Tensor ones(DType::kINT8, {a.window.y.kernel, a.window.x.kernel, a.pool.depth, 1});
  std::ranges::fill(ones.data<std::int8_t>(), factor);
  Attributes attributes = a.window.convolution_attributes();
  attributes.emplace_back(Attr::k_acc_type, static_cast<std::int64_t>(sum));
  attributes.emplace_back(Attr::k_local_bound, std::int64_t{0});
  const auto weights = tosa.constant(std::move(ones)), bias = tosa.scalar(sum, 0);
  const auto in_zero = tosa.scalar(tosa.dtype(x), a.zero), weight_zero = tosa.scalar(DType::kINT8, 0);
  const auto result = tosa.add(Op::kDEPTHWISE_CONV2D, {x, weights, bias, in_zero, weight_zero}, sum,
                               Shape(lowering.call.output().shape()), std::move(attributes));
  return is_wide ? lowering.narrow(result) : result;
}

/// A division of each sum by the number of elements of its window.
ValueId divided(Lowering& lowering, const Average& a, ValueId sum) {
  auto& tosa = lowering.tosa;
  const auto rows = counts(a.window.y), columns = counts(a.window.x);
  const Shape shape = {1, a.window.y.out, a.window.x.out, 1};
  Tensor number(DType::kINT32, shape), half(DType::kINT32, shape), minus_half(DType::kINT32, shape);
  std::size_t i = 0;
  for (const auto y : rows)
    for (const auto x : columns) {
      number.data<std::int32_t>()[i] = static_cast<std::int32_t>(y * x);
      half.data<std::int32_t>()[i] = static_cast<std::int32_t>(y * x / 2);
      minus_half.data<std::int32_t>()[i++] = static_cast<std::int32_t>(-(y * x / 2));
    }
  const auto is_positive = tosa.binary(Op::kGREATER, sum, tosa.scalar(DType::kINT32, 0, shape.size()), DType::kBOOL);
  const auto up = tosa.constant(std::move(half)), down = tosa.constant(std::move(minus_half));
  const auto to_round = tosa.add(Op::kSELECT, {is_positive, up, down}, DType::kINT32, Shape(tosa.shape(sum)));
  return tosa.binary(Op::kINTDIV, tosa.binary(Op::kADD, sum, to_round), tosa.constant(std::move(number)));
}

/// A pool of FP32.
Result<void> lower_float_pool(Lowering& lowering, Op op) {
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const Pool pool, Pool::create(lowering.call));
  MACAW_ASSIGN(const auto options, lowering.call.options_as<schema::Pool2DOptionsT>());
  MACAW_ASSIGN(const auto x, lowering.input());
  const Window window{pool.y, pool.x};
  std::vector<ValueId> inputs = {window.used(tosa, x)};
  auto attributes = pool_attributes(window);
  if (op == Op::kAVG_POOL2D) {
    inputs.push_back(tosa.number(0));
    inputs.push_back(tosa.number(0));
    attributes.emplace_back(Attr::k_acc_type, static_cast<std::int64_t>(DType::kFP32));
  } else {
    attributes.emplace_back(Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  }
  const auto result =
      tosa.add(op, std::move(inputs), DType::kFP32, Shape(lowering.call.output().shape()), std::move(attributes));
  return finish_floats(lowering, result, options->fused_activation_function);
}

}  // namespace

Result<void> lower_average_pool_2d(Lowering& lowering) {
  if (lowering.is_rounded()) return lower_float_pool(lowering, Op::kAVG_POOL2D);
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const Pool pool, Pool::create(lowering.call));
  const DType dtype = lowering.call.output().dtype();
  if (!is_quantized(dtype)) return unsupported_type(dtype);
  Average a{.pool = pool, .window = {pool.y, pool.x}, .zero = 0, .element = {-128, 127}, .distinct = {}};
  if (dtype == DType::kUINT8) {
    a.zero = -128;
    a.element = {0, 255};
  }
  if (dtype == DType::kINT16) a.element = {-32768, 32767};
  for (const auto y : distinct(pool.y))
    for (const auto x : distinct(pool.x)) a.distinct.insert(y * x);
  MACAW_ASSIGN(const auto options, lowering.call.options_as<schema::Pool2DOptionsT>());
  MACAW_ASSIGN(const Range range, lowering.range(options->fused_activation_function));
  MACAW_ASSIGN(auto x, lowering.input());
  x = a.window.used(tosa, x);
  MACAW_ASSIGN(const DType type, type_in_tosa(dtype));
  if (std::ranges::all_of(a.distinct, [&](std::int64_t count) { return is_exact(count, a.element); })) {
    auto attributes = pool_attributes(a.window);
    attributes.emplace_back(Attr::k_acc_type, static_cast<std::int64_t>(DType::kINT32));
    const auto in_zero = tosa.scalar(type, a.zero), out_zero = tosa.scalar(type, a.zero);
    x = tosa.add(Op::kAVG_POOL2D, {x, in_zero, out_zero}, type, Shape(lowering.call.output().shape()),
                 std::move(attributes));
    return lowering.output(tosa.clamp(x, range.min, range.max));
  }
  const std::int64_t most = *a.distinct.rbegin();
  if (a.distinct.size() == 1) {
    MACAW_ASSIGN(x, lowering.divide_tripled(sums(lowering, a, x, 3), most, {a.element.min * most, a.element.max * most},
                                            type, a.zero));
    return lowering.output(tosa.clamp(x, range.min, range.max));
  }
  if (most > std::numeric_limits<std::int32_t>::max() / (1 << 16)) return unsupported("a window of so many elements");
  x = divided(lowering, a, sums(lowering, a, x, 1));
  if (a.zero != 0) x = tosa.binary(Op::kADD, x, tosa.scalar(DType::kINT32, a.zero, tosa.shape(x).size()));
  return lowering.output(tosa.clamp(tosa.cast(x, type), range.min, range.max));
}

Result<void> lower_max_pool_2d(Lowering& lowering) {
  if (lowering.is_rounded()) return lower_float_pool(lowering, Op::kMAX_POOL2D);
  auto& tosa = lowering.tosa;
  MACAW_ASSIGN(const Pool pool, Pool::create(lowering.call));
  if (!is_quantized(lowering.call.output().dtype())) return unsupported_type(lowering.call.output().dtype());
  MACAW_ASSIGN(const auto options, lowering.call.options_as<schema::Pool2DOptionsT>());
  MACAW_ASSIGN(const Range range, lowering.range(options->fused_activation_function));
  MACAW_ASSIGN(const auto x, lowering.input());
  const Window window{pool.y, pool.x};
  auto attributes = pool_attributes(window);
  attributes.emplace_back(Attr::k_nan_mode, static_cast<std::int64_t>(tosa::NanMode::kPropagate));
  const auto largest = tosa.add(Op::kMAX_POOL2D, {window.used(tosa, x)}, tosa.dtype(x),
                                Shape(lowering.call.output().shape()), std::move(attributes));
  return lowering.output(tosa.clamp(largest, range.min, range.max));
}

}  // namespace macaw::tflite
