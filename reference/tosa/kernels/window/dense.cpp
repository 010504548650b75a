#include "reference/tosa/kernels/window/dense.hpp"

namespace macaw::tosa {

GatherAxis convolution_axis(std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t pad,
                            std::int64_t stride, std::int64_t dilation) {
  GatherAxis axis{in, kernel, out, 0, 1, out, stride, {}};
  axis.taps.reserve(static_cast<std::size_t>(kernel));
  for (std::int64_t k = 0; k < kernel; ++k) axis.taps.push_back({k, k * dilation - pad});
  return axis;
}

}  // namespace macaw::tosa
