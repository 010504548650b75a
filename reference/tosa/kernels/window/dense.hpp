#pragma once
#include <array>
#include <vector>

#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// One spatial axis of a convolution as a gather: output position out_first + i * out_step, for i below out_count, sums
/// the taps t over weight position t.weight and input position i * in_step + t.offset, where that is inside the input.
struct GatherAxis {
  struct Tap {
    std::int64_t weight, offset;
  };
  std::int64_t in_size = 1, weight_size = 1, out_size = 1;
  std::int64_t out_first = 0, out_step = 1, out_count = 1, in_step = 1;
  std::vector<Tap> taps{{0, 0}};
};

/// A convolution that joins all input channels: axes are depth, height and width.
struct DenseConvolution {
  std::int64_t batches = 1, in_channels = 1, out_channels = 1;
  std::array<GatherAxis, 3> axes;
};

/// Operands of CONV2D, CONV3D and TRANSPOSE_CONV2D in their common order: input, weight, bias, zero points; output.
/// `In` is the type of the input, the output is INT32 for int8 and INT48 for int16. Together the phases must reach
/// every output once.
template <class In>
void dense_convolution(Call& call, std::span<const DenseConvolution> phases);

template <>
void dense_convolution<std::int8_t>(Call& call, std::span<const DenseConvolution> phases);
template <>
void dense_convolution<std::int16_t>(Call& call, std::span<const DenseConvolution> phases);

/// The same in floating point: T is float or double, sums and products are of T
/// (reference/tosa/kernels/float_operand.hpp).
template <class T>
void float_convolution(Call& call, std::span<const DenseConvolution> phases);

extern template void float_convolution<float>(Call&, std::span<const DenseConvolution>);
extern template void float_convolution<double>(Call&, std::span<const DenseConvolution>);

/// An axis of CONV2D or CONV3D.
[[nodiscard]] GatherAxis convolution_axis(std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t pad,
                                          std::int64_t stride, std::int64_t dilation);

}  // namespace macaw::tosa
