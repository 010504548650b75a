#pragma once
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {

/// Geometry of DEPTHWISE_CONV2D. A row is a line of output positions; rows are counted over all batches.
class DepthwiseWindow {
 public:
  explicit DepthwiseWindow(const Call& call)
      : in_(call.in(0).shape()),
        kernel_(call.in(1).shape()),
        out_(call.out(0).shape()),
        pad_(call.attrs(Attr::k_pad)),
        stride_(call.attrs(Attr::k_stride)),
        dilation_(call.attrs(Attr::k_dilation)) {}

  [[nodiscard]] std::size_t taps() const { return static_cast<std::size_t>(kernel_[0] * kernel_[1]); }
  [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(in_[3]); }
  /// Output channels of an input channel.
  [[nodiscard]] std::size_t multiplier() const { return static_cast<std::size_t>(kernel_[3]); }
  [[nodiscard]] std::size_t out_channels() const { return static_cast<std::size_t>(out_[3]); }
  [[nodiscard]] std::size_t row_size() const { return static_cast<std::size_t>(out_[2]) * out_channels(); }

  /// Calls f(tap, offset) for the taps of an output position, in the order of the weights; `offset` is that of the
  /// input's first channel there, or -1 outside the input.
  template <class F>
  void for_each_tap(std::size_t row, std::int64_t ox, F f) const {
    const auto n = static_cast<std::int64_t>(row) / out_[1], oy = static_cast<std::int64_t>(row) % out_[1];
    std::size_t tap = 0;
    for (std::int64_t ky = 0; ky < kernel_[0]; ++ky) {
      const auto y = oy * stride_[0] - pad_[0] + ky * dilation_[0];
      for (std::int64_t kx = 0; kx < kernel_[1]; ++kx) {
        const auto x = ox * stride_[1] - pad_[2] + kx * dilation_[1];
        const bool inside = y >= 0 && y < in_[1] && x >= 0 && x < in_[2];
        f(tap++, inside ? ((n * in_[1] + y) * in_[2] + x) * in_[3] : std::int64_t{-1});
      }
    }
  }

  /// Calls f(first, end) for ranges of rows that together are all of them.
  template <class F>
  void split_rows(const Call& call, F f) const {
    // A product takes several times as long as one of a matrix.
    split(call, static_cast<std::size_t>(out_[0] * out_[1]),
          kLeastWork / 4 / std::max<std::size_t>(row_size() * taps(), 1) + 1, f);
  }

  /// The same for ranges of output positions.
  template <class F>
  void split_positions(const Call& call, F f) const {
    split(call, static_cast<std::size_t>(out_[0] * out_[1] * out_[2]),
          kLeastWork / 4 / std::max<std::size_t>(out_channels() * taps(), 1) + 1, f);
  }

  /// The input's rows below the output row `row`: offsets of their first elements, -1 for those outside.
  void fill_rows(std::size_t row, std::vector<std::int64_t>& offsets) const {
    const auto n = static_cast<std::int64_t>(row) / out_[1], oy = static_cast<std::int64_t>(row) % out_[1];
    for (std::int64_t ky = 0; ky < kernel_[0]; ++ky) {
      const auto y = oy * stride_[0] - pad_[0] + ky * dilation_[0];
      offsets[static_cast<std::size_t>(ky)] = y >= 0 && y < in_[1] ? (n * in_[1] + y) * in_[2] * in_[3] : -1;
    }
  }
  /// for_each_tap() with what fill_rows() has found.
  template <class F>
  void for_each_tap(const std::vector<std::int64_t>& rows, std::int64_t ox, F f) const {
    std::size_t tap = 0;
    for (const auto offset : rows) {
      auto x = ox * stride_[1] - pad_[2];
      for (std::int64_t kx = 0; kx < kernel_[1]; ++kx, x += dilation_[1])
        f(tap++, offset >= 0 && x >= 0 && x < in_[2] ? offset + x * in_[3] : std::int64_t{-1});
    }
  }

  [[nodiscard]] std::int64_t width() const { return out_[2]; }
  [[nodiscard]] std::size_t kernel_rows() const { return static_cast<std::size_t>(kernel_[0]); }

 private:
  const Shape &in_, &kernel_, &out_;
  const std::vector<std::int64_t>&pad_, &stride_, &dilation_;
};

/// DEPTHWISE_CONV2D of int8 (INT32 sums) or int16 (INT48 sums).
template <class In>
Result<void> depthwise_integers(Call& call);
/// The kernel for int8, in vector code where possible.
Result<void> depthwise_int8(Call& call);

/// The kernel for floating-point types: T is float or double; sums and products are computed in T
/// (reference/tosa/kernels/float_operand.hpp).
template <class T>
void depthwise_floats(Call& call);

extern template void depthwise_floats<float>(Call&);
extern template void depthwise_floats<double>(Call&);
extern template Result<void> depthwise_integers<std::int8_t>(Call&);
extern template Result<void> depthwise_integers<std::int16_t>(Call&);

}  // namespace macaw::tosa
