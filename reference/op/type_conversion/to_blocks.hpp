#pragma once
#include <cmath>
#include <span>

#include "reference/arith/block_scale.hpp"
#include "reference/op/float_operand.hpp"

namespace macaw::tosa {

/// A scale for each block of elements, from its greatest magnitude, and the elements divided by it, neither rounded to
/// its type yet (calc_block_scale; pseudocode/library/numeric_conversion_helpers.tosac). `type` is that of the values.
inline void to_blocks(std::span<const double> in, std::size_t block_size, DType type, double* values, double* scales) {
  for (std::size_t first = 0; first < in.size(); first += block_size) {
    double greatest = 0;
    for (std::size_t i = first; i < first + block_size; ++i) greatest = float_max<false>(greatest, std::fabs(in[i]));
    const auto scale = calc_block_scale(greatest, type);
    scales[first / block_size] = scale;
    for (std::size_t i = first; i < first + block_size; ++i) values[i] = in[i] / scale;
  }
}

/// The member of a family of kernels, Kernels<D>::run for values of type D, that is for `values`.
template <template <DType> class Kernels>
constexpr Kernel kernel_of(DType values) {
  switch (values) {
    case DType::kFP4E2M1: return Kernels<DType::kFP4E2M1>::run;
    case DType::kFP6E2M3: return Kernels<DType::kFP6E2M3>::run;
    case DType::kFP6E3M2: return Kernels<DType::kFP6E3M2>::run;
    case DType::kFP8E4M3: return Kernels<DType::kFP8E4M3>::run;
    case DType::kFP8E5M2: return Kernels<DType::kFP8E5M2>::run;
    default: return Kernels<DType::kMXINT8>::run;
  }
}

}  // namespace macaw::tosa
