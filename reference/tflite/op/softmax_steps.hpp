#pragma once
#include <macaw/tflite/kernel_steps.hpp>

#include "reference/tflite/op/softmax.hpp"

namespace macaw::tflite {

/// Of bytes, to as many bits or to 16: the steps of softmax.cpp, `every` one of them or without those that shifts and
/// products can have in them.
[[nodiscard]] std::vector<KernelStep> softmax_steps(const SoftmaxScaling& scaling, const Tensor& input,
                                                    const Tensor& output, bool every);
[[nodiscard]] std::vector<std::byte> softmax_table(const SoftmaxScaling& scaling);

}  // namespace macaw::tflite
