#include "reference/tosa/kernels/window/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {
namespace {

/// x - x^3 / 3! + x^5 / 5! ..., or 1 - x^2 / 2! + x^4 / 4! ..., for x up to pi / 4; the C library's functions are not
/// the same on every machine.
double series(double x, bool sine) {
  constexpr int kTerms = 10;  // the next is below 2^-64
  double sum = 0;
  for (int i = kTerms; i-- > 0;) {
    const int first = 2 * i + (sine ? 2 : 1);
    sum = 1 - x * x / (first * (first + 1)) * sum;
  }
  return sine ? x * sum : sum;
}

/// cos and sin of 2 pi k / n for all k below n, a power of two; exact on the axes.
struct Roots {
  std::vector<double> cosine, sine;

  explicit Roots(std::size_t n) : cosine(n), sine(n) {
    for (std::size_t k = 0; k < n; ++k) {
      // Within a quadrant, at most an eighth of a turn from the nearer axis.
      const auto quadrant = 4 * k / n, rest = 4 * k % n, distance = std::min(rest, n - rest);
      const auto x = std::numbers::pi / 2 * (static_cast<double>(distance) / static_cast<double>(n));
      const bool first_half = rest == distance;
      const auto c = series(x, !first_half), s = series(x, first_half);
      cosine[k] = quadrant == 0 ? c : quadrant == 1 ? 0 - s : quadrant == 2 ? -c : s;
      sine[k] = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? 0 - s : -c;
    }
  }
};

/// Radix-2 transform of one line in place, decimation in time. The roots outlive it.
class Line {
 public:
  Line(const Roots& roots, bool inverse)
      : roots_(roots), sign_(inverse ? 1 : -1), real_(roots.sine.size()), imag_(roots.sine.size()) {}

  std::vector<double>& real() { return real_; }
  std::vector<double>& imag() { return imag_; }

  void transform() {
    const auto n = real_.size();
    for (std::size_t i = 1, reversed = 0; i < n; ++i) {
      auto bit = n >> 1;
      for (; reversed & bit; bit >>= 1) reversed ^= bit;
      reversed ^= bit;
      if (i < reversed) {
        std::swap(real_[i], real_[reversed]);
        std::swap(imag_[i], imag_[reversed]);
      }
    }
    for (std::size_t half = 1; half < n; half *= 2)
      for (std::size_t first = 0; first < n; first += 2 * half)
        for (std::size_t k = 0; k < half; ++k) butterfly(first + k, first + k + half, k * (n / (2 * half)));
  }

 private:
  void butterfly(std::size_t a, std::size_t b, std::size_t root) {
    const auto c = roots_.cosine[root], s = sign_ * roots_.sine[root];
    const auto re = real_[b] * c - imag_[b] * s, im = real_[b] * s + imag_[b] * c;
    real_[b] = real_[a] - re;
    imag_[b] = imag_[a] - im;
    real_[a] += re;
    imag_[a] += im;
  }

  const Roots& roots_;
  double sign_;
  std::vector<double> real_, imag_;
};

/// Columns to transform at once. The fewer, the less memory the transformed rows take, but the rows are transformed
/// once for each such part: all that stay in the second-level cache, or an eighth of what all images are.
std::size_t columns_at_once(const Fourier& fourier) {
  constexpr std::int64_t kBytes = std::int64_t{1} << 20, kElement = 2 * sizeof(double);
  const auto columns = std::max(kBytes / (kElement * fourier.height), fourier.columns * fourier.images / 8);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(columns, 1, fourier.columns));
}

/// Least number of elements of the lines for a thread.
constexpr std::size_t kLeastLines = std::size_t{1} << 13;

/// split() of the call, if there is one.
template <class F>
void share(const Call* call, std::size_t count, std::size_t least, F f) {
  if (call) split(*call, count, least, f);
  else f(std::size_t{0}, count);
}

template <class T>
T rounded(double value) {
  return value != value ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value);
}

/// Cosine and sine of the angle of an element of the input in an element of the output.
struct Factors {
  Factors(const Fourier& fourier, std::int64_t y, std::int64_t x, std::int64_t ky, std::int64_t kx) {
    const auto turn = static_cast<double>(y * ky % fourier.height) / static_cast<double>(fourier.height) +
                      static_cast<double>(x * kx % fourier.width) / static_cast<double>(fourier.width);
    const auto angle = (fourier.inverse ? -2 : 2) * std::numbers::pi * turn;
    cosine = std::cos(angle);
    sine = std::sin(angle);
  }
  double cosine, sine;
};

template <class T>
std::vector<std::int64_t> not_finite(const T* real, const T* imag, std::size_t count) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(real[i]) || (imag && !std::isfinite(imag[i]))) places.push_back(static_cast<std::int64_t>(i));
  return places;
}

/// Fourier::direct() where some elements are infinite or NaN: they determine every sum, most of which become NaN early.
template <class T>
void sum_not_finite(const Fourier& fourier, std::span<const std::int64_t> places, const T* real, const T* imag,
                    T* out_real, T* out_imag) {
  share(fourier.call, static_cast<std::size_t>(fourier.height), 1, [&](std::size_t first, std::size_t end) {
    for (auto ky = static_cast<std::int64_t>(first); ky < static_cast<std::int64_t>(end); ++ky)
      for (std::int64_t kx = 0; kx < fourier.columns; ++kx) {
        double sum_real = 0, sum_imag = 0;
        for (const auto i : places) {
          const Factors f(fourier, i / fourier.width, i % fourier.width, ky, kx);
          const double re = real[i], im = imag ? imag[i] : 0;
          sum_real += re * f.cosine + im * f.sine;
          sum_imag += im * f.cosine - re * f.sine;
          if (std::isnan(sum_real) && std::isnan(sum_imag)) break;
        }
        out_real[ky * fourier.columns + kx] = rounded<T>(sum_real);
        out_imag[ky * fourier.columns + kx] = rounded<T>(sum_imag);
      }
  });
}

}  // namespace

template <class T>
void Fourier::transform(const T* real, const T* imag, T* out_real, T* out_imag) const {
  const auto h = static_cast<std::size_t>(height), w = static_cast<std::size_t>(width),
             kept = static_cast<std::size_t>(columns);
  if (const auto decisive = not_finite(real, imag, h * w); !decisive.empty())
    return sum_not_finite(*this, decisive, real, imag, out_real, out_imag);
  const Roots row_roots(w), column_roots(h);
  const auto step = columns_at_once(*this);
  Scratch<double> rows_real(h * step), rows_imag(h * step);
  for (std::size_t first = 0; first < kept; first += step) {
    const auto count = std::min(step, kept - first);
    share(call, h, kLeastLines / w + 1, [&](std::size_t first_row, std::size_t end_row) {
      Line row(row_roots, inverse);
      for (auto y = first_row; y < end_row; ++y) {
        std::copy_n(real + y * w, w, row.real().begin());
        if (imag) std::copy_n(imag + y * w, w, row.imag().begin());
        else std::ranges::fill(row.imag(), 0.0);
        row.transform();
        std::copy_n(row.real().data() + first, count, rows_real.data() + y * count);
        std::copy_n(row.imag().data() + first, count, rows_imag.data() + y * count);
      }
    });
    share(call, count, kLeastLines / h + 1, [&](std::size_t first_column, std::size_t end_column) {
      Line column(column_roots, inverse);
      for (auto x = first_column; x < end_column; ++x) {
        for (std::size_t y = 0; y < h; ++y) {
          column.real()[y] = rows_real[y * count + x];
          column.imag()[y] = rows_imag[y * count + x];
        }
        column.transform();
        for (std::size_t y = 0; y < h; ++y) {
          out_real[y * kept + first + x] = rounded<T>(column.real()[y]);
          out_imag[y * kept + first + x] = rounded<T>(column.imag()[y]);
        }
      }
    });
  }
}

template <class T>
void Fourier::direct(const T* real, const T* imag, T* out_real, T* out_imag, bool magnitudes) const {
  share(call, static_cast<std::size_t>(height), 1, [&](std::size_t first, std::size_t end) {
    for (auto ky = static_cast<std::int64_t>(first); ky < static_cast<std::int64_t>(end); ++ky)
      for (std::int64_t kx = 0; kx < columns; ++kx) {
        double sum_real = 0, sum_imag = 0;
        for (std::int64_t y = 0; y < height; ++y)
          for (std::int64_t x = 0; x < width; ++x) {
            const auto [c, s] = Factors(*this, y, x, ky, kx);
            const double re = real[y * width + x], im = imag ? imag[y * width + x] : 0;
            if (magnitudes) {
              sum_real += std::fabs(re * c) + std::fabs(im * s);
              sum_imag += std::fabs(re * s) + std::fabs(im * c);
            } else {
              sum_real += re * c + im * s;
              sum_imag += im * c - re * s;
            }
          }
        out_real[ky * columns + kx] = rounded<T>(sum_real);
        out_imag[ky * columns + kx] = rounded<T>(sum_imag);
      }
  });
}

template void Fourier::transform<float>(const float*, const float*, float*, float*) const;
template void Fourier::transform<double>(const double*, const double*, double*, double*) const;
template void Fourier::direct<float>(const float*, const float*, float*, float*, bool) const;
template void Fourier::direct<double>(const double*, const double*, double*, double*, bool) const;

}  // namespace macaw::tosa
