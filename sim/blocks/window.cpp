#include "sim/blocks/window.hpp"

#include <algorithm>
#include <utility>

namespace macaw::npu {
namespace {

struct Range {
  int begin = 0, end = 0;
};

/// One axis: outputs, stride, pad, taps, dilation and extent of the IFM along it.
struct Axis {
  std::int64_t first_out, end_out, stride, pad, first_tap, end_tap, dilation, extent;
};

Range window(const Axis& axis, bool upscaled) {
  const std::int64_t limit = upscaled ? 2 * axis.extent : axis.extent;
  const auto at = [&](std::int64_t out, std::int64_t tap) {
    return out * axis.stride - axis.pad + tap * axis.dilation;
  };
  std::int64_t begin = std::clamp<std::int64_t>(at(axis.first_out, axis.first_tap), 0, limit);
  std::int64_t end = std::clamp<std::int64_t>(at(axis.end_out - 1, axis.end_tap - 1) + 1, 0, limit);
  if (end <= begin) return {};
  if (upscaled) {
    begin = begin / 2;
    end = (end + 1) / 2;
  }
  return {static_cast<int>(begin), static_cast<int>(end)};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// Input position of output `out`: (out * step + offset) / numerator, rounded down.
std::int64_t resized(int out, int one_step_int, int one_step_mod, int numerator, int offset) {
  const std::int64_t step = std::int64_t(one_step_int) * numerator + one_step_mod;
  return floor_div(out * step + offset, numerator);
}

}  // namespace

Box ifm_window(const BlockOperation& op, const Box& ofm, const SubKernel& piece, int c0, int c1) {
  const auto& k = op.kernel;
  const bool upscaled = op.upscale != Upscale::kNone;
  const auto y = window({ofm.y0, ofm.y1, k.stride_y, k.pad_top, piece.y0, piece.y1, k.dilation_y, op.ifm.h}, upscaled);
  const auto x = window({ofm.x0, ofm.x1, k.stride_x, k.pad_left, piece.x0, piece.x1, k.dilation_x, op.ifm.w}, upscaled);
  if (y.begin == y.end || x.begin == x.end || c0 >= c1) return {};
  return {y.begin, y.end, x.begin, x.end, c0, c1};
}

Box resize_window(const BlockOperation& op, const Box& ofm) {
  const auto& r = op.resize_step;
  const auto y_at = [&](int out) { return resized(out, r.one_step_int_y, r.one_step_mod_y, r.n_y, r.offset_y); };
  const auto x_at = [&](int out) { return resized(out, r.one_step_int_x, r.one_step_mod_x, r.n_x, r.offset_x); };
  const std::int64_t rows = std::min<std::int64_t>(y_at(ofm.y1 - 1) + 2 - y_at(ofm.y0), op.ifm.h);
  const std::int64_t first = std::clamp<std::int64_t>(y_at(ofm.y0), 0, op.ifm.h - rows);
  const std::int64_t left = std::clamp<std::int64_t>(x_at(ofm.x0), 0, op.ifm.w - 1);
  const std::int64_t right = std::clamp<std::int64_t>(x_at(ofm.x1 - 1) + 1, 0, op.ifm.w - 1);
  return {static_cast<int>(first),
          static_cast<int>(first + rows),
          static_cast<int>(left),
          static_cast<int>(right) + 1,
          ofm.c0,
          ofm.c1};
}

Box stored_box(const BlockOperation& op, const Box& ofm) {
  Range axes[3] = {{ofm.y0, ofm.y1}, {ofm.x0, ofm.x1}, {ofm.c0, ofm.c1}};
  const int extents[3] = {op.ofm.h, op.ofm.w, op.ofm.c};
  if (op.reverse >= 1 && op.reverse <= 3) {
    auto& axis = axes[op.reverse - 1];
    const int extent = extents[op.reverse - 1];
    axis = {extent - axis.end, extent - axis.begin};
  }
  // Axes (0 height, 1 width, 2 depth) of the result that become height, width and depth in memory, indexed by code.
  static constexpr int kOrder[8][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0},
                                       {0, 1, 2}, {0, 1, 2}, {2, 0, 1}, {2, 1, 0}};
  const auto& order = kOrder[op.transpose & 7];
  const auto &y = axes[order[0]], &x = axes[order[1]], &c = axes[order[2]];
  return {y.begin, y.end, x.begin, x.end, c.begin, c.end};
}

}  // namespace macaw::npu
