#pragma once
#include "reference/tflite/quantization.hpp"

namespace macaw::tflite {

/// Input 0 folded along the axes that input 1 names, into output 0.
struct Reduction {
  std::int64_t count = 1;                  ///< elements that one output is made of
  std::vector<std::size_t> axes;           ///< sorted, each once
  Shape extents;                           ///< of the input
  std::vector<std::size_t> output_stride;  ///< along the input's axes, 0 along those that are folded

  /// Checks axes and shape of the output, with or without the axes that are folded, and accounts for the work.
  [[nodiscard]] static Result<Reduction> create(Call& call);

  /// Calls f(output index, input index) in the order of the input.
  template <class F>
  void for_each(F&& f) const {
    std::vector<std::int64_t> position(extents.size());
    const auto size = product(extents, 0, extents.size());
    std::size_t out = 0;
    for (std::size_t in = 0; in < static_cast<std::size_t>(size); ++in) {
      f(out, in);
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        out += output_stride[axis];
        if (++position[axis] < extents[axis]) break;
        out -= output_stride[axis] * static_cast<std::size_t>(extents[axis]);
        position[axis] = 0;
      }
    }
  }
};

/// Multiplier of the sum of quantised values, including the division by their number.
[[nodiscard]] Result<FixedMultiplier> mean_or_sum_ratio(Affine from, Affine to, std::int64_t count, bool is_mean);

}  // namespace macaw::tflite
