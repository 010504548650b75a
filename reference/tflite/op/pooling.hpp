#pragma once
#include "reference/tflite/quantization.hpp"
#include "reference/tflite/window.hpp"

namespace macaw::tflite {

/// A pool from input 0 to output 0 of one type.
struct Pool {
  std::int64_t batches = 0, depth = 0;
  WindowAxis y, x;
  Range range{};             ///< of quantised outputs
  FloatRange float_range{};  ///< of float32 outputs

  /// Checks shapes and types, and accounts for the work.
  [[nodiscard]] static Result<Pool> create(Call& call);

  /// Calls f(output index, first of the elements, their number) for every output, with the elements of its window that
  /// lie in the input.
  template <class T, class F>
  void for_each(std::span<const T> in, F&& f) const {
    std::vector<T> window(static_cast<std::size_t>(y.kernel * x.kernel));
    std::size_t out = 0;
    for (std::int64_t b = 0; b < batches; ++b)
      for (std::int64_t oy = 0; oy < y.out; ++oy)
        for (std::int64_t ox = 0; ox < x.out; ++ox)
          for (std::int64_t c = 0; c < depth; ++c, ++out) {
            std::size_t count = 0;
            const auto y0 = std::max<std::int64_t>(y.origin(oy), 0), y1 = std::min(y.origin(oy) + y.kernel, y.in);
            const auto x0 = std::max<std::int64_t>(x.origin(ox), 0), x1 = std::min(x.origin(ox) + x.kernel, x.in);
            for (auto iy = y0; iy < y1; ++iy)
              for (auto ix = x0; ix < x1; ++ix)
                window[count++] = in[static_cast<std::size_t>(((b * y.in + iy) * x.in + ix) * depth + c)];
            f(out, std::span<const T>(window.data(), count));
          }
  }
};

}  // namespace macaw::tflite
