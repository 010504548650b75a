#include <algorithm>

#include "reference/tflite/op/pool.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/pooling.cc,
// tensorflow/lite/kernels/internal/reference/{pooling.h,integer_ops/pooling.h}.
namespace macaw::tflite::MAX_POOL_2D {
namespace {

template <class T, class R>
Result<void> run(Call& call, const Pool& pool, R range) {
  const auto out = call.output().data_to_fill<T>();
  pool.for_each(call.inputs[0].value->data<T>(), [&](std::size_t i, std::span<const T> window) {
    T largest = std::numeric_limits<T>::lowest();
    for (const T value : window) largest = std::max(largest, value);
    out[i] = std::clamp(largest, static_cast<T>(range.min), static_cast<T>(range.max));
  });
  return {};
}

Result<void> max_pool_2d(Call& call) {
  MACAW_ASSIGN(const Pool pool, Pool::create(call));
  if (call.output().dtype() == DType::kFP32) return run<float>(call, pool, pool.float_range);
  return with_quantized(call.output().dtype(), [&]<class T>(T) { return run<T>(call, pool, pool.range); });
}

}  // namespace

extern constexpr Definition kDefinition = {"MAX_POOL_2D", 1, 1, 1, 1, max_pool_2d};

}  // namespace macaw::tflite::MAX_POOL_2D
