#pragma once
#include <macaw/tensor.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace macaw::accuracy {

/// An input as a small picture: its least value is 0, its greatest 255.
struct Picture {
  std::size_t height = 0, width = 0, channels = 0;  ///< 1 or 3 channels
  std::string pixels;                               ///< bytes row after row, in Base64
};

/// Without a value for a tensor that is not a picture: [height, width, 1 or 3], or [height, width], with axes of extent
/// 1 before; channels may come first. Larger sides than 96 are thinned out.
[[nodiscard]] std::optional<Picture> picture_of(const Tensor& tensor);

}  // namespace macaw::accuracy
