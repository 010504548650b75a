#pragma once
#include <macaw/npu/operation.hpp>

#include <algorithm>

namespace macaw::npu {

/// Taps [y0, y1) x [x0, x1) of a kernel.
struct SubKernel {
  int y0 = 0, y1 = 1, x0 = 0, x1 = 1;
  [[nodiscard]] int taps() const { return (y1 - y0) * (x1 - x0); }
};

/// Pieces that a kernel is split into, from the top left, y before x: at most `decomposition` rows and columns of the
/// dilated kernel each, that is 8/dilation taps per axis (walk rules 2.1; pieces of dilated kernels are assumed).
class SubKernels {
 public:
  enum class Cut : std::uint8_t {
    kBothAxes,     ///< U55/U65
    kColumnsOnly,  ///< U85: all rows of the kernel share one IFM window (U85 walk rules 2.5)
  };

  explicit SubKernels(const Kernel& kernel, Cut cut = Cut::kBothAxes)
      : taps_y_(kernel.taps_y()),
        taps_x_(kernel.taps_x()),
        size_y_(cut == Cut::kColumnsOnly ? taps_y_ : std::max(1, kernel.decomposition / kernel.dilation_y)),
        size_x_(std::max(1, kernel.decomposition / kernel.dilation_x)) {}

  [[nodiscard]] int rows() const { return (taps_y_ + size_y_ - 1) / size_y_; }
  [[nodiscard]] int columns() const { return (taps_x_ + size_x_ - 1) / size_x_; }
  [[nodiscard]] std::int64_t count() const { return std::int64_t(rows()) * columns(); }
  [[nodiscard]] SubKernel piece(std::int64_t index) const {
    const int y = static_cast<int>(index / columns()) * size_y_;
    const int x = static_cast<int>(index % columns()) * size_x_;
    return {y, std::min(y + size_y_, taps_y_), x, std::min(x + size_x_, taps_x_)};
  }
  /// Calls f(piece, count) for each shape of pieces: full pieces, and those cut short at the right and the bottom.
  template <class F>
  void for_each_shape(F&& f) const {
    for (const int y : {0, rows() - 1}) {
      const std::int64_t of_rows = y == 0 ? std::max(1, rows() - 1) : 1;
      for (const int x : {0, columns() - 1}) {
        const std::int64_t of_columns = x == 0 ? std::max(1, columns() - 1) : 1;
        f(piece(std::int64_t(y) * columns() + x), of_rows * of_columns);
        if (columns() == 1) break;
      }
      if (rows() == 1) break;
    }
  }

 private:
  int taps_y_, taps_x_, size_y_, size_x_;
};

}  // namespace macaw::npu
