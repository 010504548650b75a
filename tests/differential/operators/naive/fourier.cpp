#include <cmath>
#include <complex>
#include <numbers>

#include "tests/differential/operators/naive/naive.hpp"

namespace macaw::test::naive {
namespace {

using tosa::Attr;
using tosa::Op;

using Line = std::vector<std::complex<double>>;

/// Ten terms of a Taylor series, summed from the last: the sine of x for `power` 1, the cosine for 0.
double series(double x, int power) {
  double sum = 0;
  for (int i = 9; i >= 0; --i) sum = 1 - x * x / ((2 * i + power + 1) * (2 * i + power + 2)) * sum;
  return power == 1 ? x * sum : sum;
}

/// e^(i 2 pi k / n) for k below n / 2, from the angle to the nearer axis; the contract of
/// reference/tosa/kernels/window/fourier.cpp, since the C library's functions are not the same on every machine.
std::complex<double> root(std::size_t k, std::size_t n) {
  const auto quarters = 4 * k % n;
  const bool near_real = 2 * quarters <= n;
  const auto x =
      std::numbers::pi / 2 * (static_cast<double>(near_real ? quarters : n - quarters) / static_cast<double>(n));
  const auto along = series(x, 0), across = series(x, 1);
  const std::complex<double> first_quadrant = near_real ? std::complex(along, across) : std::complex(across, along);
  if (4 * k < n) return first_quadrant;
  return {0 - first_quadrant.imag(), first_quadrant.real()};
}

/// The Cooley-Tukey recursion, decimation in time, whose order of operations is the contract of
/// reference/tosa/kernels/window/fourier.hpp.
Line transform(const Line& in, bool inverse) {
  const auto n = in.size();
  if (n == 1) return in;
  Line even, odd;
  for (std::size_t i = 0; i < n; i += 2) {
    even.push_back(in[i]);
    odd.push_back(in[i + 1]);
  }
  even = transform(even, inverse);
  odd = transform(odd, inverse);
  Line out(n);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const auto c = root(k, n).real(), s = (inverse ? 1 : -1) * root(k, n).imag();
    const std::complex<double> turned{odd[k].real() * c - odd[k].imag() * s, odd[k].real() * s + odd[k].imag() * c};
    out[k] = even[k] + turned;
    out[k + n / 2] = even[k] - turned;
  }
  return out;
}

/// The double sum of the specification.
std::complex<double> direct(const std::vector<Line>& in, std::size_t ky, std::size_t kx, bool inverse) {
  const auto h = in.size(), w = in[0].size();
  double real = 0, imag = 0;
  for (std::size_t y = 0; y < h; ++y)
    for (std::size_t x = 0; x < w; ++x) {
      const auto turn = static_cast<double>(y * ky % h) / static_cast<double>(h) +
                        static_cast<double>(x * kx % w) / static_cast<double>(w);
      const auto a = (inverse ? -2 : 2) * std::numbers::pi * turn;
      real += in[y][x].real() * std::cos(a) + in[y][x].imag() * std::sin(a);
      imag += in[y][x].imag() * std::cos(a) - in[y][x].real() * std::sin(a);
    }
  return {real, imag};
}

std::vector<Line> transform_image(const std::vector<Line>& in, std::size_t columns, bool inverse) {
  const auto h = in.size();
  bool finite = true;
  for (const auto& line : in)
    for (const auto& value : line) finite &= std::isfinite(value.real()) && std::isfinite(value.imag());
  std::vector<Line> out(h, Line(columns));
  if (!finite) {
    for (std::size_t ky = 0; ky < h; ++ky)
      for (std::size_t kx = 0; kx < columns; ++kx) out[ky][kx] = direct(in, ky, kx, inverse);
    return out;
  }
  std::vector<Line> rows;
  for (const auto& line : in) rows.push_back(transform(line, inverse));
  for (std::size_t x = 0; x < columns; ++x) {
    Line column;
    for (const auto& row : rows) column.push_back(row[x]);
    column = transform(column, inverse);
    for (std::size_t y = 0; y < h; ++y) out[y][x] = column[y];
  }
  return out;
}

/// FFT2D, or RFFT2D with one input and W/2 + 1 columns.
template <bool kReal>
void fourier_transform(Node& n) {
  const auto& shape = n.in[0].shape();
  const auto columns = n.out[0].shape()[2];
  for (std::int64_t batch = 0; batch < shape[0]; ++batch) {
    std::vector<Line> image(static_cast<std::size_t>(shape[1]));
    for (std::int64_t y = 0; y < shape[1]; ++y)
      for (std::int64_t x = 0; x < shape[2]; ++x) {
        const auto at = offset(shape, {batch, y, x});
        image[static_cast<std::size_t>(y)].emplace_back(double_at(n.in[0], at), kReal ? 0.0 : double_at(n.in[1], at));
      }
    const auto out = transform_image(image, static_cast<std::size_t>(columns), !kReal && n.attr(Attr::k_inverse) != 0);
    for (std::int64_t y = 0; y < shape[1]; ++y)
      for (std::int64_t x = 0; x < columns; ++x) {
        const auto value = out[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
        // The sines of these frequencies are all zero.
        const bool no_imaginary = kReal && (y == 0 || 2 * y == shape[1]) && (x == 0 || 2 * x == shape[2]);
        const auto at = offset(n.out[0].shape(), {batch, y, x});
        put_double(n.out[0], at, value.real());
        put_double(n.out[1], at, no_imaginary ? 0 : value.imag());
      }
  }
}

constexpr Entry kFourierEntries[] = {{Op::kFFT2D, fourier_transform<false>}, {Op::kRFFT2D, fourier_transform<true>}};

}  // namespace

std::span<const Entry> fourier() { return kFourierEntries; }

}  // namespace macaw::test::naive
