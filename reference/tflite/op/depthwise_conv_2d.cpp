#include "reference/tflite/products.hpp"
#include "reference/tflite/window.hpp"
#include "reference/tosa/kernels/best_version.hpp"

#include <fmt/format.h>

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/depthwise_conv.cc,
// tensorflow/lite/kernels/internal/reference/{depthwiseconv_float.h,integer_ops/depthwise_conv.h}.
namespace macaw::tflite::depthwise_conv_2d {
namespace {

struct Geometry {
  std::int64_t batches, depth, channels, multiplier;
  WindowAxis y, x;
};

Result<Geometry> geometry(const Tensor& in, const Tensor& filter, const Tensor& out,
                          const schema::DepthwiseConv2DOptionsT& options) {
  MACAW_CHECK(expect_rank(in, 4, "the input"));
  MACAW_CHECK(expect_rank(filter, 4, "the filter"));
  const Shape &i = in.shape(), &f = filter.shape();
  if (f[0] != 1 || i[3] < 1 || f[3] % i[3] != 0)
    return invalid(fmt::format("a filter of shape {} for an input of shape {}", to_string(f), to_string(i)));
  Geometry g{i[0], i[3], f[3], f[3] / i[3], {}, {}};
  MACAW_ASSIGN(g.y, window_axis({i[1], f[1], options.stride_h, options.dilation_h_factor}, options.padding));
  MACAW_ASSIGN(g.x, window_axis({i[2], f[2], options.stride_w, options.dilation_w_factor}, options.padding));
  MACAW_CHECK(expect(out, Shape{g.batches, g.y.out, g.x.out, g.channels}, "the output"));
  return g;
}

/// Bytes less their zero point times weights, added to sums.
void add_products(const std::int8_t* values, const std::int8_t* weights, std::int32_t zero, std::size_t count,
                  std::int32_t* sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += (values[i] - zero) * weights[i];
}

void add_float_products(const float* values, const float* weights, std::size_t count, float* sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += values[i] * weights[i];
}

/// Adds one place of the window to the sums of all channels.
template <class T, class W, class Sum>
void add_tap(const Geometry& g, const Products& products, const T* values, const W* weights, Sum* sums) {
  if constexpr (std::is_same_v<T, std::int8_t>)
    if (g.multiplier == 1) {
      static const auto kAdd = tosa::best_version<add_products>(tosa::Kernels::kBest);
      return kAdd(values, weights, products.input_zero(), static_cast<std::size_t>(g.channels), sums);
    }
  if constexpr (std::is_same_v<T, float>)
    if (g.multiplier == 1) {
      static const auto kAdd = tosa::best_version<add_float_products>(tosa::Kernels::kBest);
      return kAdd(values, weights, static_cast<std::size_t>(g.channels), sums);
    }
  if (g.multiplier == 1) {
    for (std::int64_t c = 0; c < g.channels; ++c) sums[c] = products.add(sums[c], values[c], weights[c]);
    return;
  }
  for (std::int64_t d = 0, c = 0; d < g.depth; ++d)
    for (std::int64_t m = 0; m < g.multiplier; ++m, ++c) sums[c] = products.add(sums[c], values[d], weights[c]);
}

template <class T, class W, class Sum>
void run(const Geometry& g, const Products& products, const T* in, const W* filter, T* out) {
  std::vector<Sum> sums(static_cast<std::size_t>(g.channels));
  for (std::int64_t b = 0; b < g.batches; ++b)
    for (std::int64_t oy = 0; oy < g.y.out; ++oy)
      for (std::int64_t ox = 0; ox < g.x.out; ++ox) {
        std::ranges::fill(sums, Sum{0});
        for (std::int64_t ky = 0; ky < g.y.kernel; ++ky) {
          const auto y = g.y.origin(oy) + ky * g.y.dilation;
          if (y < 0 || y >= g.y.in) continue;
          for (std::int64_t kx = 0; kx < g.x.kernel; ++kx) {
            const auto x = g.x.origin(ox) + kx * g.x.dilation;
            if (x < 0 || x >= g.x.in) continue;
            add_tap(g, products, in + ((b * g.y.in + y) * g.x.in + x) * g.depth,
                    filter + (ky * g.x.kernel + kx) * g.channels, sums.data());
          }
        }
        if constexpr (std::is_same_v<T, std::int8_t> || std::is_same_v<T, float>)
          products.finish_all(sums.data(), 0, sums.size(), out);
        else
          for (std::size_t c = 0; c < sums.size(); ++c) out[c] = products.finish<T>(sums[c], c);
        out += sums.size();
      }
}

Result<void> depthwise_conv_2d(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::DepthwiseConv2DOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(0));
  MACAW_ASSIGN(const Tensor* filter, call.input(1));
  MACAW_ASSIGN(const Geometry g, geometry(*in, *filter, call.output(), *options));
  MACAW_ASSIGN(
      const auto products,
      Products::create(call, {.channels = g.channels, .axis = 3, .activation = options->fused_activation_function}));
  MACAW_ASSIGN(const auto work, element_count({call.output().size(), g.y.kernel, g.x.kernel}));
  MACAW_CHECK(call.account(work));
  products.with_types([&]<class T, class W, class Sum>(T, W, Sum) {
    run<T, W, Sum>(g, products, in->data<T>().data(), products.filter<W>(*filter),
                   call.output().uninitialized_data<T>().data());
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"DEPTHWISE_CONV_2D", 2, 3, 1, 1, depthwise_conv_2d},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::depthwise_conv_2d
