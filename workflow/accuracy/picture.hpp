#pragma once
#include <macaw/tensor.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace macaw::accuracy {

/// An input as a small picture, scaled so that its minimum is 0 and its maximum 255.
struct Picture {
  std::size_t height = 0, width = 0, channels = 0;  ///< 1 or 3 channels
  std::string pixels;                               ///< bytes row after row, in Base64
};

/// Empty for a tensor that is not a picture: [height, width, 1 or 3] or [height, width], with leading axes of extent 1;
/// channels may come first. Sides over 96 are subsampled.
[[nodiscard]] std::optional<Picture> picture_of(const Tensor& tensor);

}  // namespace macaw::accuracy
