#pragma once
#include <macaw/tflite/kernel_steps.hpp>

#include "reference/tflite/function_tables.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/kernels/internal/reference/softmax.h.
namespace macaw::tflite {

inline constexpr int kSoftmaxSumBits = 12;  ///< integer bits of the sum of exponentials

/// Scaling of the distance between a byte and the largest one for exp.
struct SoftmaxScaling {
  FixedMultiplier multiplier;
  std::int32_t least = 0;  ///< differences below it have the exponential zero

  /// kUnsupported unless beta and scale give a multiplier above 1.
  [[nodiscard]] static Result<SoftmaxScaling> create(float beta, float scale);
  /// The exponential of a difference from -255 to 0; 2^31-1 stands for 1.
  [[nodiscard]] std::int32_t exponential(std::int32_t difference) const;
};

/// Scaling of int16 for exp and for the reciprocal of the sum.
struct SoftmaxInt16Scaling {
  FixedMultiplier multiplier;  ///< of a value's distance from the largest, which then counts from 32767 down

  [[nodiscard]] static Result<SoftmaxInt16Scaling> create(float beta, float scale);
  [[nodiscard]] static const FunctionLines& exponential();
  /// Lines of the reciprocal of 1 + x for x from 0 to 1.
  [[nodiscard]] static const FunctionLines& reciprocal();
};

/// For bytes, to 8 or 16 bits: the steps of SOFTMAX, `every` one of them or without those that shifts and
/// products can have in them.
[[nodiscard]] std::vector<KernelStep> softmax_steps(const SoftmaxScaling& scaling, const Tensor& input,
                                                    const Tensor& output, bool every);
[[nodiscard]] std::vector<std::byte> softmax_table(const SoftmaxScaling& scaling);

}  // namespace macaw::tflite
