#include "workflow/prove/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace macaw::prove {
namespace {

/// The first input element that a tap of an output pixel reads in the graph; absent where the tap is in the padding.
std::optional<std::size_t> input_pixel(const Window& w, std::size_t pixel, int ky, int kx) {
  const auto oh = static_cast<std::size_t>(w.output[1]), ow = static_cast<std::size_t>(w.output[2]);
  const auto n = pixel / (oh * ow), y = pixel / ow % oh, x = pixel % ow;
  const auto iy = static_cast<std::int64_t>(y) * w.stride[0] + ky * w.dilation[0] - w.pad[0];
  const auto ix = static_cast<std::int64_t>(x) * w.stride[1] + kx * w.dilation[1] - w.pad[2];
  if (iy < 0 || ix < 0 || iy >= w.input[1] || ix >= w.input[2]) return std::nullopt;
  return static_cast<std::size_t>(((static_cast<std::int64_t>(n) * w.input[1] + iy) * w.input[2] + ix) * w.input[3]);
}

}  // namespace

std::string compare_windows(const Window& window, const npu::BlockOperation& op, const Piece& piece,
                            const std::vector<ElementTag>& read, const IsInput& is_input, const IsPadding& is_padding) {
  const auto& kernel = op.kernel;
  const auto depth = static_cast<std::size_t>(window.output[3]);
  const auto channel0 = window.own_channel ? piece.first % depth : 0, pixel0 = piece.first / depth;
  const auto channels = static_cast<std::size_t>(op.ifm.c);
  for (int y = 0; y < op.ofm.h; ++y)
    for (int x = 0; x < op.ofm.w; ++x) {
      const auto pixel =
          pixel0 + static_cast<std::size_t>(y) * static_cast<std::size_t>(op.ofm.w) + static_cast<std::size_t>(x);
      for (int ky = 0; ky < window.taps[0]; ++ky)
        for (int kx = 0; kx < window.taps[1]; ++kx) {
          const int iy = y * kernel.stride_y + ky * kernel.dilation_y - kernel.pad_top;
          const int ix = x * kernel.stride_x + kx * kernel.dilation_x - kernel.pad_left;
          const bool inside = iy >= 0 && ix >= 0 && iy < op.ifm.h && ix < op.ifm.w;
          const auto expected = input_pixel(window, pixel, ky, kx);
          const auto place = [&] {
            return fmt::format("output [{}, {}] of the operation, tap [{}, {}]", y, x, ky, kx);
          };
          if (inside && !expected) return fmt::format("{}: the graph reads padding, the stream an element", place());
          if (!expected) continue;
          const auto first =
              inside
                  ? (static_cast<std::size_t>(iy) * static_cast<std::size_t>(op.ifm.w) + static_cast<std::size_t>(ix)) *
                        channels
                  : 0;
          for (std::size_t i = 0; i < channels; ++i) {
            const auto element = *expected + channel0 + i;
            if (!inside && !is_padding(element))
              return fmt::format("{}: the graph reads an element, the stream padding", place());
            if (inside && !is_input(read[first + i], element))
              return fmt::format("{} reads the wrong input channel (expected {})", place(), i);
          }
        }
    }
  return "";
}

}  // namespace macaw::prove
