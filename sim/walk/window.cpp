#include "sim/walk/window.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

std::int64_t implied(std::int64_t ofm, std::int64_t stride, std::int64_t kernel, std::int64_t pads, bool upscaled) {
  const std::int64_t extent = (ofm - 1) * stride + kernel - pads;
  return std::max<std::int64_t>(1, upscaled ? (extent + 1) / 2 : extent);
}

struct Range {
  int begin, end;
};

Range window(std::int64_t first_out, std::int64_t end_out, std::int64_t stride, std::int64_t pad, std::int64_t first_tap,
             std::int64_t end_tap, std::int64_t dilation, std::int64_t extent, bool upscaled) {
  const std::int64_t limit = upscaled ? 2 * extent : extent;
  std::int64_t begin = std::clamp<std::int64_t>(first_out * stride - pad + first_tap * dilation, 0, limit);
  std::int64_t end = std::clamp<std::int64_t>((end_out - 1) * stride - pad + (end_tap - 1) * dilation + 1, 0, limit);
  if (end <= begin) return {0, 0};
  if (upscaled) {
    begin = begin / 2;
    end = (end + 1) / 2;
  }
  return {static_cast<int>(begin), static_cast<int>(end)};
}

}  // namespace

std::int64_t ifm_height(const BlockOperation& op) {
  const auto& k = op.kernel;
  return implied(op.ofm.h, k.stride_y, k.height, std::int64_t(k.pad_top) + k.pad_bottom, op.upscale != Upscale::kNone);
}

std::int64_t ifm_width(const BlockOperation& op) {
  const auto& k = op.kernel;
  return implied(op.ofm.w, k.stride_x, k.width, std::int64_t(k.pad_left) + k.pad_right, op.upscale != Upscale::kNone);
}

Box ifm_window(const BlockOperation& op, const Box& ofm, const SubKernel& piece, int c0, int c1) {
  const auto& k = op.kernel;
  const bool upscaled = op.upscale != Upscale::kNone;
  const auto y = window(ofm.y0, ofm.y1, k.stride_y, k.pad_top, piece.y0, piece.y1, k.dilation_y, ifm_height(op), upscaled);
  const auto x = window(ofm.x0, ofm.x1, k.stride_x, k.pad_left, piece.x0, piece.x1, k.dilation_x, ifm_width(op), upscaled);
  if (y.begin == y.end || x.begin == x.end || c0 >= c1) return {};
  return {y.begin, y.end, x.begin, x.end, c0, c1};
}

}  // namespace macaw::npu
