#include "reference/tflite/op/pooling.hpp"

#include <algorithm>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/{pooling.cc,pooling_common.cc},
// tensorflow/lite/kernels/internal/reference/{pooling.h,integer_ops/pooling.h}.
namespace macaw::tflite {

Result<Pool> Pool::create(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::Pool2DOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  const Tensor& out = call.output();
  MACAW_CHECK(expect(out, in->dtype(), "the output"));
  MACAW_CHECK(expect_rank(*in, 4, "the input"));
  const Shape& shape = in->shape();
  Pool pool{.batches = shape[0], .depth = shape[3], .y = {}, .x = {}};
  MACAW_ASSIGN(pool.y, window_axis({shape[1], options->filter_height, options->stride_h}, options->padding));
  MACAW_ASSIGN(pool.x, window_axis({shape[2], options->filter_width, options->stride_w}, options->padding));
  MACAW_CHECK(expect(out, Shape{pool.batches, pool.y.out, pool.x.out, pool.depth}, "the output"));
  MACAW_ASSIGN(const auto work,
               element_count({out.size(), std::min(pool.y.kernel, pool.y.in), std::min(pool.x.kernel, pool.x.in)}));
  MACAW_CHECK(call.account(work));
  // Elements outside the input are not part of a window, so a larger one needs no more memory.
  const auto bounded = element_count({pool.y.kernel, pool.x.kernel});
  constexpr std::int64_t kMaxWindow = std::int64_t{1} << 26;
  if (!bounded || *bounded > kMaxWindow) return unsupported("a window of more than 2^26 elements");
  if (in->dtype() == DType::kFP32) {
    MACAW_ASSIGN(pool.float_range, activation_range(options->fused_activation_function));
    return pool;
  }
  if (!is_quantized(in->dtype())) return unsupported_type(in->dtype());
  MACAW_CHECK(expect_same_quantization(call.inputs[0], call.outputs[0]));
  MACAW_ASSIGN(const Affine to, affine(call.outputs[0]));
  MACAW_ASSIGN(pool.range, activation_range(options->fused_activation_function, out.dtype(), to));
  return pool;
}

}  // namespace macaw::tflite

namespace macaw::tflite::pooling {
namespace {

float average(const Pool& pool, std::span<const float> window) {
  float sum = 0;
  for (const float value : window) sum += value;
  return std::clamp(sum / static_cast<float>(window.size()), pool.float_range.min, pool.float_range.max);
}

template <class T>
T average(const Pool& pool, std::span<const T> window) {
  std::int64_t sum = 0;
  for (const T value : window) sum += value;
  const auto count = static_cast<std::int64_t>(window.size());
  const std::int64_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
  return static_cast<T>(std::clamp<std::int64_t>(mean, pool.range.min, pool.range.max));
}

template <class T>
Result<void> run_average(Call& call, const Pool& pool) {
  const auto out = call.output().uninitialized_data<T>();
  pool.for_each(call.inputs[0].value->data<T>(),
                [&](std::size_t i, std::span<const T> window) { out[i] = average(pool, window); });
  return {};
}

Result<void> average_pool_2d(Call& call) {
  MACAW_ASSIGN(const Pool pool, Pool::create(call));
  if (call.output().dtype() == DType::kFP32) return run_average<float>(call, pool);
  return with_quantized(call.output().dtype(), [&]<class T>(T) { return run_average<T>(call, pool); });
}

template <class T, class R>
Result<void> run_max(Call& call, const Pool& pool, R range) {
  const auto out = call.output().uninitialized_data<T>();
  pool.for_each(call.inputs[0].value->data<T>(), [&](std::size_t i, std::span<const T> window) {
    T largest = std::numeric_limits<T>::lowest();
    for (const T value : window) largest = std::max(largest, value);
    out[i] = std::clamp(largest, static_cast<T>(range.min), static_cast<T>(range.max));
  });
  return {};
}

Result<void> max_pool_2d(Call& call) {
  MACAW_ASSIGN(const Pool pool, Pool::create(call));
  if (call.output().dtype() == DType::kFP32) return run_max<float>(call, pool, pool.float_range);
  return with_quantized(call.output().dtype(), [&]<class T>(T) { return run_max<T>(call, pool, pool.range); });
}

constexpr Definition kDefinitions[] = {
    {"AVERAGE_POOL_2D", 1, 1, 1, 1, average_pool_2d},
    {"MAX_POOL_2D", 1, 1, 1, 1, max_pool_2d},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::pooling
