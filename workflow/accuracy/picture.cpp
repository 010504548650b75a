#include "workflow/accuracy/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

namespace macaw::accuracy {
namespace {

constexpr std::size_t kLargestSide = 96;

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<float>> values_of(const Tensor& tensor) {
  std::vector<float> values;
  const auto copy = [&]<class T>(T) {
    for (const auto value : tensor.data<T>()) values.push_back(static_cast<float>(value));
  };
  switch (tensor.dtype()) {
    case DType::kFP32: copy(float{}); break;
    case DType::kINT8: copy(std::int8_t{}); break;
    case DType::kUINT8: copy(std::uint8_t{}); break;
    case DType::kINT16: copy(std::int16_t{}); break;
    default: return std::nullopt;
  }
  return values;
}

}  // namespace

std::optional<Picture> picture_of(const Tensor& tensor) {
  auto shape = tensor.shape();
  while (shape.size() > 3 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() == 2) shape.push_back(1);
  if (shape.size() != 3 || tensor.size() == 0) return std::nullopt;
  const auto is_depth = [](std::int64_t extent) { return extent == 1 || extent == 3; };
  const bool channels_first = !is_depth(shape[2]) && is_depth(shape[0]);
  if (channels_first) std::ranges::rotate(shape, shape.begin() + 1);
  if (!is_depth(shape[2]) || shape[0] < 2 || shape[1] < 2) return std::nullopt;
  const auto values = values_of(tensor);
  if (!values) return std::nullopt;
  const auto rows = static_cast<std::size_t>(shape[0]), columns = static_cast<std::size_t>(shape[1]),
             depth = static_cast<std::size_t>(shape[2]);
  float least = 0, greatest = 0;
  bool any = false;
  for (const float value : *values) {
    if (!std::isfinite(value)) continue;
    least = any ? std::min(least, value) : value;
    greatest = any ? std::max(greatest, value) : value;
    any = true;
  }
  const float range = greatest > least ? greatest - least : 1;
  Picture picture{.height = std::min(rows, kLargestSide),
                  .width = std::min(columns, kLargestSide),
                  .channels = depth,
                  .pixels = {}};
  std::vector<std::uint8_t> bytes;
  for (std::size_t y = 0; y < picture.height; ++y)
    for (std::size_t x = 0; x < picture.width; ++x)
      for (std::size_t c = 0; c < depth; ++c) {
        const auto at = y * rows / picture.height * columns + x * columns / picture.width;
        const float value = (*values)[channels_first ? c * rows * columns + at : at * depth + c];
        const float share = std::isfinite(value) ? (value - least) / range : 0.0F;
        bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0F, 1.0F))));
      }
  picture.pixels = base64(bytes);
  return picture;
}

}  // namespace macaw::accuracy
