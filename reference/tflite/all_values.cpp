#include "reference/tflite/all_values.hpp"

#include <algorithm>
#include <limits>

namespace macaw::tflite {
namespace {

template <class T>
Tensor values_of(DType dtype, std::int64_t least) {
  constexpr std::int64_t kCount = std::int64_t{1} << (8 * sizeof(T));
  Tensor values(dtype, {kCount});
  std::int64_t next = std::numeric_limits<T>::min();
  for (T& value : values.data<T>()) value = static_cast<T>(std::max(next++, least));
  return values;
}

}  // namespace

Tensor all_values(DType dtype, std::int64_t least) {
  if (dtype == DType::kINT16) return values_of<std::int16_t>(dtype, least);
  return dtype == DType::kUINT8 ? values_of<std::uint8_t>(dtype, least) : values_of<std::int8_t>(dtype, least);
}

}  // namespace macaw::tflite
