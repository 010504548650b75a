#pragma once
#include "reference/tosa/kernels/elementwise/float_blocks.hpp"
#include "reference/tosa/kernels/gemm/scratch.hpp"
#include "reference/tosa/kernels/window/pool_window.hpp"

// Pooling in floating point, a line of the output at a time: only the line of the input that is read and that of the
// output are ever held as T, float or double, and the call's threads share the lines.

namespace macaw::tosa {

/// The windows of a line of the output.
struct PoolLine {
  std::int64_t in_width, out_width, channels, kernel, stride, pad;

  [[nodiscard]] std::int64_t left(std::int64_t x) const { return std::max<std::int64_t>(x * stride - pad, 0); }
  [[nodiscard]] std::int64_t right(std::int64_t x) const { return std::min(x * stride - pad + kernel, in_width); }
};

/// results = apply(results, value) over a line of the input.
template <class T, class F>
void pool_line(const T* in, T* results, PoolLine line, F apply) {
  for (std::int64_t x = 0; x < line.out_width; ++x, results += line.channels)
    for (auto from = line.left(x); from < line.right(x); ++from) {
      const auto* values = in + from * line.channels;
      for (std::int64_t c = 0; c < line.channels; ++c) results[c] = apply(results[c], values[c]);
    }
}

/// Outputs are finish(apply(...apply(start, value)..., value), elements of the window) over the values of their
/// windows, line by line.
template <class T, class F, class Finish>
void float_pool(const Call& call, T start, F apply, Finish finish) {
  const auto &in = call.in(0).shape(), &out = call.out(0).shape();
  const auto &kernel = call.attrs(Attr::k_kernel), &stride = call.attrs(Attr::k_stride), &pad = call.attrs(Attr::k_pad);
  const PoolLine line{in[2], out[2], in[3], kernel[1], stride[1], pad[2]};
  const auto in_size = static_cast<std::size_t>(in[2] * in[3]), out_size = static_cast<std::size_t>(out[2] * out[3]);
  const auto dtype = call.in(0).dtype();
  const auto* bytes = call.in(0).bytes().data();
  const BlockOutput<T> output(call.out(0));
  const auto loop = best_version<pool_line<T, F>>(call.kernels);
  const auto work = out_size * static_cast<std::size_t>(kernel[0] * kernel[1]);
  split(call, static_cast<std::size_t>(out[0] * out[1]), kLeastElements / std::max<std::size_t>(work, 1) + 1,
        [&](std::size_t first, std::size_t end) {
          const bool is_narrow = dtype != kFloatType<T>;
          Scratch<T> values(is_narrow ? in_size : 0), results(out_size);
          for (; first < end; ++first) {
            const auto n = static_cast<std::int64_t>(first) / out[1], oy = static_cast<std::int64_t>(first) % out[1];
            const auto top = std::max<std::int64_t>(oy * stride[0] - pad[0], 0),
                       bottom = std::min(oy * stride[0] - pad[0] + kernel[0], in[1]);
            std::ranges::fill(results.span(), start);
            for (auto y = top; y < bottom; ++y) {
              const auto* from = bytes + static_cast<std::size_t>(n * in[1] + y) * in_size * size_of(dtype);
              if (is_narrow) decode_floats<T>(dtype, from, values.span());
              loop(is_narrow ? values.data() : reinterpret_cast<const T*>(from), results.data(), line, apply);
            }
            auto* result = results.data();
            for (std::int64_t x = 0; x < line.out_width; ++x) {
              const auto count = static_cast<T>((bottom - top) * (line.right(x) - line.left(x)));
              for (std::int64_t c = 0; c < line.channels; ++c, ++result) *result = finish(*result, count);
            }
            output.store(first * out_size, results.span());
          }
        });
}

}  // namespace macaw::tosa
