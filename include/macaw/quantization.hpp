#pragma once
#include <cstdint>
#include <vector>

namespace macaw {

/// Affine quantisation of a tensor: real = scale * (stored - zero_point). One value of each, or one per slice along
/// `dimension`; the lists are as the file has them. Source: QuantizationParameters of the TensorFlow Lite schema.
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  std::int32_t dimension = 0;
};

}  // namespace macaw
