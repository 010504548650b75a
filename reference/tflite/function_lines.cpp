#include "reference/tflite/function_lines.hpp"

namespace macaw::tflite {

std::int16_t on_lines(const FunctionLines& lines, std::int32_t x) {
  x = std::clamp(x, -32768, 32767);
  const auto index = static_cast<std::size_t>((x >> 7) + 256);
  const auto slope = static_cast<std::int16_t>(lines[index + 1] - lines[index]);
  return static_cast<std::int16_t>(lines[index] + ((slope * (x & 127) + 64) >> 7));
}

}  // namespace macaw::tflite
