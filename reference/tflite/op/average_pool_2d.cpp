#include "reference/tflite/op/pool.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/pooling.cc,
// tensorflow/lite/kernels/internal/reference/{pooling.h,integer_ops/pooling.h}.
namespace macaw::tflite::AVERAGE_POOL_2D {
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
Result<void> run(Call& call, const Pool& pool) {
  const auto out = call.output().data_to_fill<T>();
  pool.for_each(call.inputs[0].value->data<T>(),
                [&](std::size_t i, std::span<const T> window) { out[i] = average(pool, window); });
  return {};
}

Result<void> average_pool_2d(Call& call) {
  MACAW_ASSIGN(const Pool pool, Pool::create(call));
  if (call.output().dtype() == DType::kFP32) return run<float>(call, pool);
  return with_quantized(call.output().dtype(), [&]<class T>(T) { return run<T>(call, pool); });
}

}  // namespace

extern constexpr Definition kDefinition = {"AVERAGE_POOL_2D", 1, 1, 1, 1, average_pool_2d};

}  // namespace macaw::tflite::AVERAGE_POOL_2D
