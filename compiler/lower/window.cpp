#include "compiler/lower/window.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr int kMaxStride = 3;
constexpr int kMaxPadBefore = 127, kMaxPadAfter = 255;

/// One output, with its window clipped to the input.
WindowPiece single(const WindowAxis& a, std::int64_t out) {
  const auto start = out * a.stride - a.pad_before, end = start + a.extent;
  WindowPiece p{.out_first = out};
  p.in_first = std::clamp<std::int64_t>(start, 0, a.in);
  const auto last = std::clamp<std::int64_t>(end, 0, a.in);
  p.in_count = last - p.in_first;
  if (p.in_count <= 0) {
    // The whole window is padding.
    p.in_first = 0;
    p.in_count = 0;
    p.pad_after = a.extent;
    return p;
  }
  p.pad_before = p.in_first - start;
  p.pad_after = end - last;
  return p;
}

StorageView cut(const StorageView& hwc, std::size_t axis, std::int64_t first, std::int64_t count) {
  return hwc.part(axis, first, std::max<std::int64_t>(count, 1));
}

}  // namespace

std::vector<WindowPiece> window_pieces(const WindowAxis& a) {
  if (a.stride <= kMaxStride || a.out == 1)
    return {{0, a.out, 0, a.in, a.pad_before, a.pad_after, a.out == 1 ? 1 : a.stride}};
  std::vector<WindowPiece> pieces;
  for (std::int64_t o = 0; o < a.out; ++o) pieces.push_back(single(a, o));
  return pieces;
}

std::vector<WindowPiece> unpadded_pieces(const WindowAxis& a) {
  std::vector<WindowPiece> pieces;
  for (std::int64_t o = 0; o < a.out; ++o) {
    auto p = single(a, o);
    const bool cut = p.pad_before != 0 || p.pad_after != 0;
    p.pad_before = p.pad_after = 0;
    const bool grows = !cut && !pieces.empty() && pieces.back().out_first + pieces.back().out_count == o &&
                       a.stride <= kMaxStride && pieces.back().stride != 0;
    if (grows) {
      auto& last = pieces.back();
      ++last.out_count;
      last.in_count = p.in_first + p.in_count - last.in_first;
      last.stride = a.stride;
    } else {
      p.stride = cut ? 0 : 1;  // 0: cannot be continued
      pieces.push_back(p);
    }
  }
  for (auto& p : pieces) p.stride = std::max<std::int64_t>(p.stride, 1);
  return pieces;
}

Result<std::array<WindowAxis, 2>> window_axes(const Lowering& lowering, const std::array<std::int64_t, 2>& taps,
                                              const std::array<std::int64_t, 2>& dilation, std::int64_t in_h,
                                              std::int64_t in_w) {
  const auto& op = lowering.current();
  const auto& stride = op.get_ints(tosa::Attr::k_stride);
  const auto& pad = op.get_ints(tosa::Attr::k_pad);
  const std::int64_t in[] = {in_h, in_w};
  std::array<WindowAxis, 2> axes;
  for (std::size_t i = 0; i < 2; ++i) {
    auto& a = axes[i];
    a = {.in = in[i],
         .out = 1,
         .extent = (taps[i] - 1) * dilation[i] + 1,
         .stride = stride[i],
         .pad_before = pad[2 * i],
         .pad_after = pad[2 * i + 1]};
    a.out = (a.in + a.pad_before + a.pad_after - a.extent) / a.stride + 1;
  }
  return axes;
}

StorageView input_part(const StorageView& hwc, const WindowPiece& y, const WindowPiece& x) {
  return cut(cut(hwc, 0, y.in_first, y.in_count), 1, x.in_first, x.in_count);
}

StorageView output_part(const StorageView& hwc, const WindowPiece& y, const WindowPiece& x) {
  return hwc.part(0, y.out_first, y.out_count).part(1, x.out_first, x.out_count);
}

Result<void> set_window(const Lowering& lowering, Kernel& k, const WindowPiece& y, const WindowPiece& x) {
  if (y.pad_before > kMaxPadBefore || x.pad_before > kMaxPadBefore || y.pad_after > kMaxPadAfter ||
      x.pad_after > kMaxPadAfter)
    return lowering.unsupported("padding exceeds its registers (127 before, 255 after)");
  k.pad_top = static_cast<int>(y.pad_before);
  k.pad_bottom = static_cast<int>(y.pad_after);
  k.pad_left = static_cast<int>(x.pad_before);
  k.pad_right = static_cast<int>(x.pad_after);
  k.stride_y = static_cast<int>(y.stride);
  k.stride_x = static_cast<int>(x.stride);
  return {};
}

}  // namespace macaw::npu
