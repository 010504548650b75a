#include "reference/tflite/products.hpp"
#include "reference/tflite/window.hpp"

#include <cmath>

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/conv.cc,
// tensorflow/lite/kernels/internal/reference/{conv.h,integer_ops/conv.h}.
namespace macaw::tflite::conv_2d {
namespace {

struct Geometry {
  std::int64_t batches, in_depth, filter_depth, channels, channels_per_group;
  WindowAxis y, x;
};

Result<Geometry> geometry(const Tensor& in, const Tensor& filter, const Tensor& out,
                          const schema::Conv2DOptionsT& options) {
  MACAW_CHECK(expect_rank(in, 4, "the input"));
  MACAW_CHECK(expect_rank(filter, 4, "the filter"));
  const Shape &i = in.shape(), &f = filter.shape();
  Geometry g{i[0], i[3], f[3], f[0], 0, {}, {}};
  if (g.in_depth < 1 || g.filter_depth < 1 || g.in_depth % g.filter_depth != 0 ||
      g.channels % (g.in_depth / g.filter_depth) != 0)
    return invalid(fmt::format("a filter of shape {} for an input of shape {}", to_string(f), to_string(i)));
  g.channels_per_group = g.channels / (g.in_depth / g.filter_depth);
  MACAW_ASSIGN(g.y, window_axis({i[1], f[1], options.stride_h, options.dilation_h_factor}, options.padding));
  MACAW_ASSIGN(g.x, window_axis({i[2], f[2], options.stride_w, options.dilation_w_factor}, options.padding));
  MACAW_CHECK(expect(out, Shape{g.batches, g.y.out, g.x.out, g.channels}, "the output"));
  return g;
}

template <class T, class W, class Sum>
class Convolution {
 public:
  Convolution(const Geometry& g, const Products& products, const T* in, const W* filter, T* out)
      : g_(g), products_(products), in_(in), filter_(filter), out_(out) {}

  void run() {
    for (std::int64_t b = 0; b < g_.batches; ++b)
      for (std::int64_t oy = 0; oy < g_.y.out; ++oy)
        for (std::int64_t ox = 0; ox < g_.x.out; ++ox)
          for (std::int64_t c = 0; c < g_.channels; ++c)
            *out_++ = products_.template finish<T>(sum(b, oy, ox, c), static_cast<std::size_t>(c));
  }

 private:
  Sum sum(std::int64_t b, std::int64_t oy, std::int64_t ox, std::int64_t c) const {
    Sum total = 0;
    const std::int64_t group = c / g_.channels_per_group;
    for (std::int64_t ky = 0; ky < g_.y.kernel; ++ky) {
      const auto y = g_.y.origin(oy) + ky * g_.y.dilation;
      if (y < 0 || y >= g_.y.in) continue;
      for (std::int64_t kx = 0; kx < g_.x.kernel; ++kx) {
        const auto x = g_.x.origin(ox) + kx * g_.x.dilation;
        if (x < 0 || x >= g_.x.in) continue;
        const T* values = in_ + ((b * g_.y.in + y) * g_.x.in + x) * g_.in_depth + group * g_.filter_depth;
        const W* weights = filter_ + ((c * g_.y.kernel + ky) * g_.x.kernel + kx) * g_.filter_depth;
        for (std::int64_t d = 0; d < g_.filter_depth; ++d) total = products_.add(total, values[d], weights[d]);
      }
    }
    return total;
  }

  const Geometry& g_;
  const Products& products_;
  const T* in_;
  const W* filter_;
  T* out_;
};

/// The same of bytes, by the fast kernels.
void run_bytes(const Geometry& g, const Products& products, const std::int8_t* in, const std::int8_t* filter,
               std::int8_t* out) {
  const auto channels = static_cast<std::size_t>(g.channels_per_group), run = static_cast<std::size_t>(g.filter_depth),
             taps = static_cast<std::size_t>(g.y.kernel * g.x.kernel);
  const auto pixels = static_cast<std::size_t>(g.batches * g.y.out * g.x.out);
  for (std::size_t first = 0; first < static_cast<std::size_t>(g.channels); first += channels) {
    ByteSums bytes(filter + first * taps * run, channels, taps * run, products.input_zero());
    const auto put = [&](std::size_t row, std::size_t pixel) {
      const auto p = static_cast<std::int64_t>(pixel), oy = p / g.x.out % g.y.out, b = p / (g.x.out * g.y.out);
      std::size_t at = 0;
      for (std::int64_t ky = 0; ky < g.y.kernel; ++ky)
        for (std::int64_t kx = 0; kx < g.x.kernel; ++kx, at += run) {
          const auto y = g.y.origin(oy) + ky * g.y.dilation, x = g.x.origin(p % g.x.out) + kx * g.x.dilation;
          const auto offset =
              ((b * g.y.in + y) * g.x.in + x) * g.in_depth + static_cast<std::int64_t>(first / channels * run);
          if (y < 0 || y >= g.y.in || x < 0 || x >= g.x.in) bytes.put_zeros(row, at, run);
          else bytes.put(row, at, in + offset, run);
        }
    };
    for (std::size_t pixel = 0; pixel < pixels; pixel += ByteSums::kRows) {
      const auto rows = std::min(ByteSums::kRows, pixels - pixel);
      for (std::size_t row = 0; row < rows; ++row) put(row, pixel + row);
      const std::int32_t* sums = bytes.sums(rows);
      for (std::size_t row = 0; row < rows; ++row, sums += bytes.pitch())
        products.finish_all(sums, first, channels, out + (pixel + row) * static_cast<std::size_t>(g.channels) + first);
    }
  }
}

/// The same of floats, whose filter is finite: what lies in the padding adds zeros.
void run_floats(const Geometry& g, const Products& products, const float* in, const float* filter, float* out) {
  const auto channels = static_cast<std::size_t>(g.channels_per_group), run = static_cast<std::size_t>(g.filter_depth),
             taps = static_cast<std::size_t>(g.y.kernel * g.x.kernel);
  const auto pixels = static_cast<std::size_t>(g.batches * g.y.out * g.x.out);
  for (std::size_t first = 0; first < static_cast<std::size_t>(g.channels); first += channels) {
    FloatSums floats(filter + first * taps * run, channels, taps * run);
    const auto put = [&](float* row, std::size_t pixel) {
      const auto p = static_cast<std::int64_t>(pixel), oy = p / g.x.out % g.y.out, b = p / (g.x.out * g.y.out);
      for (std::int64_t ky = 0; ky < g.y.kernel; ++ky)
        for (std::int64_t kx = 0; kx < g.x.kernel; ++kx, row += run) {
          const auto y = g.y.origin(oy) + ky * g.y.dilation, x = g.x.origin(p % g.x.out) + kx * g.x.dilation;
          const auto offset =
              ((b * g.y.in + y) * g.x.in + x) * g.in_depth + static_cast<std::int64_t>(first / channels * run);
          if (y < 0 || y >= g.y.in || x < 0 || x >= g.x.in) std::fill_n(row, run, 0.0F);
          else std::copy_n(in + offset, run, row);
        }
    };
    for (std::size_t pixel = 0; pixel < pixels; pixel += FloatSums::kRows) {
      const auto rows = std::min(FloatSums::kRows, pixels - pixel);
      for (std::size_t row = 0; row < rows; ++row) put(floats.row(row), pixel + row);
      const float* sums = floats.sums(rows);
      for (std::size_t row = 0; row < rows; ++row, sums += floats.pitch())
        products.finish_all(sums, first, channels, out + (pixel + row) * static_cast<std::size_t>(g.channels) + first);
    }
  }
}

bool is_finite(const float* values, std::int64_t count) {
  return std::all_of(values, values + count, [](float value) { return std::isfinite(value); });
}

Result<void> conv_2d(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::Conv2DOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* filter, call.input(1));
  MACAW_ASSIGN(const Geometry g, geometry(*in, *filter, call.output(), *options));
  MACAW_ASSIGN(const auto products, Products::create(call, {.channels = g.channels,
                                                            .activation = options->fused_activation_function,
                                                            .bias_type = options->quantized_bias_type}));
  MACAW_ASSIGN(const auto work, element_count({call.output().size(), g.y.kernel, g.x.kernel, g.filter_depth}));
  MACAW_CHECK(call.account(work));
  products.with_types([&]<class T, class W, class Sum>(T, W, Sum) {
    if constexpr (std::is_same_v<T, std::int8_t>)
      return run_bytes(g, products, in->data<T>().data(), filter->data<W>().data(),
                       call.output().uninitialized_data<T>().data());
    const W* weights = products.filter<W>(*filter);
    if constexpr (std::is_same_v<T, float>)
      if (is_finite(weights, filter->size()))
        return run_floats(g, products, in->data<T>().data(), weights, call.output().uninitialized_data<T>().data());
    Convolution<T, W, Sum>(g, products, in->data<T>().data(), weights, call.output().uninitialized_data<T>().data())
        .run();
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"CONV_2D", 2, 3, 1, 1, conv_2d},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::conv_2d
