#pragma once
#include <cstdint>
#include <functional>

namespace macaw::bench {

/// Stride 1, dilation 1, NHWC, padding that keeps the size; bias; int8 with INT32 output, or FP32.
struct ConvolutionShape {
  std::int64_t size, in_channels, out_channels, kernel;
  bool is_float;
};

/// oneDNN's computation of the shape on one thread, with weights in the layout that it likes best; empty without
/// oneDNN.
std::function<void()> onednn_convolution(const ConvolutionShape& shape);
/// [m, k] x [k, n], int8 to INT32, or FP32.
std::function<void()> onednn_matmul(std::int64_t m, std::int64_t k, std::int64_t n, bool is_float);

}  // namespace macaw::bench
