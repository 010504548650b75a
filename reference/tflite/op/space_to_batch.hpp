#pragma once
#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// An image that is divided into blocks, each position of which belongs to another batch (SPACE_TO_BATCH_ND,
/// BATCH_TO_SPACE_ND): input 1 has the extents of a block, input 2 the padding before and after each axis of the image,
/// or the number of elements that are cropped there. Rank 3 is an image of one column.
struct BatchBlocks {
  std::int64_t block_height = 1, block_width = 1, top = 0, left = 0;
  Shape wide, blocked;  ///< of rank 4

  /// Checks `wide`, the image, against `blocked`.
  [[nodiscard]] static Result<BatchBlocks> create(const Call& call, const Tensor& wide, const Tensor& blocked);

  /// Calls f(offset of the blocked pixel, offset of the image's or -1 outside of it) in pixels.
  template <class F>
  void for_each(F&& f) const {
    std::int64_t at = 0;
    for (std::int64_t b = 0; b < blocked[0]; ++b) {
      const auto place = b / wide[0];
      for (std::int64_t y = 0; y < blocked[1]; ++y)
        for (std::int64_t x = 0; x < blocked[2]; ++x, ++at) {
          const auto row = y * block_height + place / block_width - top;
          const auto column = x * block_width + place % block_width - left;
          const bool inside = row >= 0 && row < wide[1] && column >= 0 && column < wide[2];
          f(at, inside ? (b % wide[0] * wide[1] + row) * wide[2] + column : -1);
        }
    }
  }
};

}  // namespace macaw::tflite
