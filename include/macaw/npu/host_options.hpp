#pragma once
#include <cstdint>
#include <variant>
#include <vector>

namespace macaw::npu {

/// Affine quantisation of a tensor: real = scale * (stored - zero_point). One value of each, or one per slice along
/// `dimension`; the lists are as the file has them. Source: QuantizationParameters of the TensorFlow Lite schema.
struct Quantization {
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  std::int32_t dimension = 0;
};

/// ActivationFunctionType of the TensorFlow Lite schema.
enum class HostActivation : std::int8_t { kNone = 0, kRelu, kReluN1To1, kRelu6, kTanh, kSignBit };

// Options of CPU operators, field for field those of the TensorFlow Lite schema and unchecked.

struct SvdfOptions {
  std::int32_t rank = 0;
};

struct SoftmaxOptions {
  float beta = 0;
};

struct ConcatenationOptions {
  std::int32_t axis = 0;
  HostActivation activation = HostActivation::kNone;
};

struct StridedSliceOptions {
  std::int32_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  bool offset = false;
};

struct TransposeConvOptions {
  bool same_padding = true;
  std::int32_t stride_width = 0, stride_height = 0;
  HostActivation activation = HostActivation::kNone;
};

struct PackOptions {
  std::int32_t axis = 0;
};

struct UnpackOptions {
  std::int32_t axis = 0;
};

/// Nothing where the operator has no options or Macaw does not read them.
using HostOptions = std::variant<std::monostate, SvdfOptions, SoftmaxOptions, ConcatenationOptions, StridedSliceOptions,
                                 TransposeConvOptions, PackOptions, UnpackOptions>;

}  // namespace macaw::npu
