#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Parts laid side by side along an axis of a whole. `extents` are those of the parts along it.
struct Layout {
  std::int64_t outer = 1;         ///< times that every part has a run
  std::vector<std::size_t> runs;  ///< bytes of each part's run

  Layout(const Shape& whole, std::size_t axis, const std::vector<std::int64_t>& extents, DType dtype);

  void join(const std::vector<const Tensor*>& parts, Tensor& whole) const;
  void split(const Tensor& whole, const std::vector<Tensor*>& parts) const;
};

/// Every input; an error if one is absent or has another type than the output.
[[nodiscard]] Result<std::vector<const Tensor*>> inputs_of_output_type(const Call& call);

/// Checks that output k has the whole's type and, along the axis, extents[k], and splits.
[[nodiscard]] Result<void> split_into_outputs(Call& call, const Tensor& whole, std::size_t axis,
                                              const std::vector<std::int64_t>& extents);

}  // namespace macaw::tflite
