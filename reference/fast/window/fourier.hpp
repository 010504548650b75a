#pragma once
#include <bit>

#include "reference/fast/window/dot_product.hpp"

namespace macaw::tosa {

// Rules that FFT2D and RFFT2D share.
inline constexpr Check kFourierLevel{
    Rule::kLevel, "input_real", "height and width must not exceed the level's MAX_KERNEL",
    [](const View& v) { return v.in_shape(0)[1] > v.level.max_kernel || v.in_shape(0)[2] > v.level.max_kernel; }};
inline constexpr Check kPowerOfTwoHeight{
    Rule::kErrorIf, "input_real", "the height must be a power of two",
    [](const View& v) { return !std::has_single_bit(static_cast<std::uint64_t>(v.in_shape(0)[1])); }};
inline constexpr Check kPowerOfTwoWidth{
    Rule::kErrorIf, "input_real", "the width must be a power of two",
    [](const View& v) { return !std::has_single_bit(static_cast<std::uint64_t>(v.in_shape(0)[2])); }};

/// Two-dimensional discrete Fourier transform of `height` x `width` complex numbers, both powers of two, not scaled:
/// out[ky][kx] = sum of in[y][x] * e^(-i a), a = 2 pi (y ky / height + x kx / width), or of e^(i a) if `inverse`.
/// Only the first `columns` columns are computed. T is float or double; everything is computed in double, so that the
/// rounding of the fast algorithm is below that of a float. Without `imag` the imaginary parts are zeros.
struct Fourier {
  std::int64_t height, width, columns;
  bool inverse;
  std::int64_t images = 1;     ///< of the operator: what they take in memory bounds the working copy of one
  const Call* call = nullptr;  ///< whose threads share the lines; null: there are none, and no bounds run

  /// In the order of the fast algorithm. An infinity or NaN in the input is summed as `direct` does.
  template <class T>
  void transform(const T* real, const T* imag, T* out_real, T* out_imag) const;
  /// As the specification writes it. If `magnitudes`, every factor is replaced by its magnitude.
  template <class T>
  void direct(const T* real, const T* imag, T* out_real, T* out_imag, bool magnitudes) const;

  template <class T>
  void run(const T* real, const T* imag, T* out_real, T* out_imag) const {
    if (call && call->bounds) direct(real, imag, out_real, out_imag, true);
    else transform(real, imag, out_real, out_imag);
  }
};

}  // namespace macaw::tosa
