#pragma once
#include "compiler/lowering.hpp"

#include <array>
#include <vector>

// Windows that move along one axis, split where they exceed the NPU's registers.
namespace macaw::npu {

/// One axis of a convolution or pooling. `extent`: kernel with its dilation gaps.
struct WindowAxis {
  std::int64_t in = 1, out = 1, extent = 1, stride = 1, pad_before = 0, pad_after = 0;
};

/// Outputs [out_first, out_first + out_count) and the part of the input that they need.
struct WindowPiece {
  std::int64_t out_first = 0, out_count = 1, in_first = 0, in_count = 1;
  std::int64_t pad_before = 0, pad_after = 0, stride = 1;
};

/// One piece, or one per output where the stride is above 3 (Vela, SUPPORTED_OPS.md).
[[nodiscard]] std::vector<WindowPiece> window_pieces(const WindowAxis& axis);
/// Pieces without padding: where the window was clipped, the kernel of a piece has `in_count` elements.
[[nodiscard]] std::vector<WindowPiece> unpadded_pieces(const WindowAxis& axis);

/// Stride, padding and extents of a convolution or pooling of [N,H,W,C] with kernel and dilation [y, x].
[[nodiscard]] Result<std::array<WindowAxis, 2>> window_axes(const Lowering& lowering,
                                                            const std::array<std::int64_t, 2>& taps,
                                                            const std::array<std::int64_t, 2>& dilation,
                                                            std::int64_t in_h, std::int64_t in_w);
/// The part of [h][w][c] that a pair of pieces reads (input_part) or writes (output_part).
[[nodiscard]] StorageView input_part(const StorageView& hwc, const WindowPiece& y, const WindowPiece& x);
[[nodiscard]] StorageView output_part(const StorageView& hwc, const WindowPiece& y, const WindowPiece& x);
/// Sets padding and strides; an error if they exceed the registers.
[[nodiscard]] Result<void> set_window(const Lowering& lowering, Kernel& kernel, const WindowPiece& y,
                                      const WindowPiece& x);

}  // namespace macaw::npu
