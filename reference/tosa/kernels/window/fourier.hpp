#pragma once
#include <bit>

#include "reference/tosa/kernels/window/dot_product.hpp"

namespace macaw::tosa {

/// Two-dimensional discrete Fourier transform of `height` x `width` complex numbers, both powers of two, not scaled:
/// out[ky][kx] = sum of in[y][x] * e^(-i a), a = 2 pi (y ky / height + x kx / width), or of e^(i a) if `inverse`.
/// Only the first `columns` columns are computed. T is float or double; everything is computed in double, so that the
/// rounding of the fast algorithm is below that of a float. Without `imag` the imaginary parts are zeros.
struct Fourier {
  std::int64_t height, width, columns;
  bool inverse;
  std::int64_t images = 1;     ///< of the operator; their memory bounds the working copy of one
  const Call* call = nullptr;  ///< whose threads share the lines; null: there are none, and no bounds run

  /// In the order of the fast algorithm. Infinities and NaN in the input have the same results as in `direct`.
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
