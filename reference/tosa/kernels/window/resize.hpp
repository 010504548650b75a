#pragma once
#include <algorithm>

#include "reference/tosa/kernels/elementwise/float_blocks.hpp"
#include "reference/tosa/kernels/move/parts.hpp"

// RESIZE: where output positions fall is found once for all lines and once for all columns.

namespace macaw::tosa {

/// Where an output position falls: the input positions around it and the distance from the first, in 1/numerator.
struct ResizeSample {
  std::int64_t first, second, fraction;
};

[[nodiscard]] inline std::vector<ResizeSample> resize_samples(std::span<const std::int64_t> scale, std::int64_t offset,
                                                              std::int64_t in, std::int64_t out) {
  const auto numerator = scale[0], denominator = scale[1];
  std::vector<ResizeSample> all;
  all.reserve(static_cast<std::size_t>(out));
  for (std::int64_t o = 0; o < out; ++o) {
    const auto position = o * denominator + offset;
    const auto floor = (position >= 0 ? position : position - numerator + 1) / numerator;
    all.push_back({std::clamp<std::int64_t>(floor, 0, in - 1), std::clamp<std::int64_t>(floor + 1, 0, in - 1),
                   position - floor * numerator});
  }
  return all;
}

/// Calls f(ys, xs, first, end) for ranges of the lines of all images of the output, on the call's threads; `in` and
/// `out`: the shapes before and after resizing.
template <class F>
void share_resized_lines(const Call& call, const Shape& in, const Shape& out, F f) {
  const auto scale = call.in_data<std::int64_t>(1), offset = call.in_data<std::int64_t>(2);
  const auto ys = resize_samples(scale.first(2), offset[0], in[1], out[1]),
             xs = resize_samples(scale.last(2), offset[1], in[2], out[2]);
  const auto line = static_cast<std::size_t>(out[2] * out[3]);
  split(call, static_cast<std::size_t>(out[0] * out[1]), kLeastElements / std::max<std::size_t>(line, 1) + 1,
        [&](std::size_t first, std::size_t end) {
          f(ys, xs, static_cast<std::int64_t>(first), static_cast<std::int64_t>(end));
        });
}

/// Calls f(output offset, sample y, sample x, offset of the image) for every output pixel.
template <class F>
void for_each_resized_pixel(const Call& call, const Shape& in, const Shape& out, F f) {
  share_resized_lines(call, in, out, [&](const auto& ys, const auto& xs, std::int64_t first, std::int64_t end) {
    for (auto line = first; line < end; ++line) {
      auto to = line * out[2] * out[3];
      for (const auto& x : xs) {
        f(to, ys[static_cast<std::size_t>(line % out[1])], x, line / out[1] * in[1] * in[2] * in[3]);
        to += out[3];
      }
    }
  });
}

// Moves elements of any type.
inline void resize_nearest(const Call& call) {
  const auto scale = call.in_data<std::int64_t>(1);
  for_each_part(call, [&](const auto& part) {
    const auto in = part.in_shape(0);
    const auto* from = part.in(0);
    auto* const out = part.out();
    for_each_resized_pixel(call, in, part.out_shape(),
                           [&](std::int64_t to, const ResizeSample& y, const ResizeSample& x, std::int64_t image) {
                             const auto iy = 2 * y.fraction >= scale[0] ? y.second : y.first;
                             const auto ix = 2 * x.fraction >= scale[2] ? x.second : x.first;
                             std::copy_n(from + image + (iy * in[2] + ix) * in[3], in[3], out + to);
                           });
  });
}

// Weights are at most 2^22 in sum: int8 stays in 32, int16 in 48 bits.
template <class In, class Out>
void resize_bilinear(Call& call) {
  const auto scale = call.in_data<std::int64_t>(1);
  const auto width = call.in(0).shape()[2], channels = call.in(0).shape()[3];
  const auto* in = call.in_data<In>(0).data();
  auto* out = call.out_data<Out>(0).data();
  for_each_resized_pixel(
      call, call.in(0).shape(), call.out(0).shape(),
      [&](std::int64_t to, const ResizeSample& y, const ResizeSample& x, std::int64_t image) {
        const auto at = [&](std::int64_t iy, std::int64_t ix) { return in + image + (iy * width + ix) * channels; };
        const auto *v00 = at(y.first, x.first), *v01 = at(y.first, x.second), *v10 = at(y.second, x.first),
                   *v11 = at(y.second, x.second);
        const auto near_y = scale[0] - y.fraction, near_x = scale[2] - x.fraction;
        const auto w00 = static_cast<Out>(near_y * near_x), w01 = static_cast<Out>(near_y * x.fraction),
                   w10 = static_cast<Out>(y.fraction * near_x), w11 = static_cast<Out>(y.fraction * x.fraction);
        for (std::int64_t c = 0; c < channels; ++c)
          out[to + c] = v00[c] * w00 + v01[c] * w01 + v10[c] * w10 + v11[c] * w11;
      });
}

/// A line between two lines of the input, at dy of the way from the first to the second.
template <class T>
void blend_lines(const T* first, const T* second, T dy, const ResizeSample* xs, std::int64_t width, T denominator,
                 std::int64_t channels, T* out) {
  for (std::int64_t i = 0; i < width; ++i, out += channels) {
    const auto& x = xs[i];
    const auto *v00 = first + x.first * channels, *v01 = first + x.second * channels;
    const auto *v10 = second + x.first * channels, *v11 = second + x.second * channels;
    const auto dx = static_cast<T>(x.fraction) / denominator;
    for (std::int64_t c = 0; c < channels; ++c)
      out[c] = v00[c] * (1 - dy) * (1 - dx) + v01[c] * (1 - dy) * dx + v10[c] * dy * (1 - dx) + v11[c] * dy * dx;
  }
}

/// ResizeLines of a tensor as T. If narrow, two of them, one of which has an odd number.
template <class T>
class ResizeLines {
 public:
  ResizeLines(const Tensor& tensor, std::size_t size)
      : tensor_(tensor), size_(size), values_(tensor.dtype() == kFloatType<T> ? 0 : 2 * size) {}

  [[nodiscard]] const T* line(std::int64_t number) {
    const auto dtype = tensor_.dtype();
    const auto* bytes = tensor_.bytes().data() + static_cast<std::size_t>(number) * size_ * size_of(dtype);
    if (dtype == kFloatType<T>) return reinterpret_cast<const T*>(bytes);
    const auto odd = static_cast<std::size_t>(number % 2);
    const auto values = values_.span().subspan(odd * size_, size_);
    if (held_[odd] != number) decode_floats<T>(dtype, bytes, values);
    held_[odd] = number;
    return values.data();
  }

 private:
  const Tensor& tensor_;
  std::size_t size_;
  Scratch<T> values_;
  std::array<std::int64_t, 2> held_{-1, -1};
};

template <class T>
void resize_bilinear_float(const Call& call) {
  const auto scale = call.in_data<std::int64_t>(1);
  const auto &in = call.in(0).shape(), &out = call.out(0).shape();
  const BlockOutput<T> output(call.out(0));
  const auto loop = best_version<blend_lines<T>>(call.kernels);
  share_resized_lines(call, in, out, [&](const auto& ys, const auto& xs, std::int64_t first, std::int64_t end) {
    ResizeLines<T> lines(call.in(0), static_cast<std::size_t>(in[2] * in[3]));
    Scratch<T> result(static_cast<std::size_t>(out[2] * out[3]));
    for (; first < end; ++first) {
      const auto& y = ys[static_cast<std::size_t>(first % out[1])];
      const auto image = first / out[1] * in[1];
      loop(lines.line(image + y.first), lines.line(image + y.second),
           static_cast<T>(y.fraction) / static_cast<T>(scale[0]), xs.data(), out[2], static_cast<T>(scale[2]), in[3],
           result.data());
      output.store(static_cast<std::size_t>(first) * result.size(), result.span());
    }
  });
}

}  // namespace macaw::tosa
