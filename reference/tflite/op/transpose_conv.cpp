#include <algorithm>

#include <fmt/format.h>

#include "reference/tflite/products.hpp"
#include "reference/tflite/window.hpp"

// tensorflow/tflite-micro @90b983c2b tensorflow/lite/micro/kernels/transpose_conv.cc,
// tensorflow/lite/kernels/internal/reference/{transpose_conv.h,integer_ops/transpose_conv.h}. Input 0, the shape, is
// the output's.
namespace macaw::tflite::transpose_conv {
namespace {

enum Input : std::size_t { kShape, kFilter, kInput, kBias };

struct Geometry {
  std::int64_t batches, depth, channels;
  WindowAxis y, x;  // of the convolution that this one turns round: from the output's extents to the input's
};

Result<Geometry> geometry(const Tensor& in, const Tensor& filter, const Tensor& out,
                          const schema::TransposeConvOptionsT& options) {
  for (const Tensor* tensor : {&in, &filter, &out}) MACAW_CHECK(expect_rank(*tensor, 4, "an operand"));
  const Shape &i = in.shape(), &f = filter.shape(), &o = out.shape();
  if (i[0] != o[0] || i[3] != f[3] || f[0] != o[3])
    return invalid(fmt::format("a filter of shape {} from {} to {}", to_string(f), to_string(i), to_string(o)));
  Geometry g{i[0], i[3], o[3], {}, {}};
  MACAW_ASSIGN(g.y, window_axis({o[1], f[1], options.stride_h}, options.padding));
  MACAW_ASSIGN(g.x, window_axis({o[2], f[2], options.stride_w}, options.padding));
  // Inputs beyond those that follow from the output's extents are used too.
  g.y.out = i[1];
  g.x.out = i[2];
  return g;
}

template <class T, class W, class Sum>
void accumulate(const Geometry& g, const Products& products, const T* in, const W* filter, Sum* sums) {
  for (std::int64_t b = 0; b < g.batches; ++b)
    for (std::int64_t iy = 0; iy < g.y.out; ++iy)
      for (std::int64_t ix = 0; ix < g.x.out; ++ix, in += g.depth)
        for (std::int64_t ky = 0; ky < g.y.kernel; ++ky)
          for (std::int64_t kx = 0; kx < g.x.kernel; ++kx) {
            const auto oy = g.y.origin(iy) + ky, ox = g.x.origin(ix) + kx;
            if (oy < 0 || oy >= g.y.in || ox < 0 || ox >= g.x.in) continue;
            Sum* to = sums + ((b * g.y.in + oy) * g.x.in + ox) * g.channels;
            for (std::int64_t c = 0; c < g.channels; ++c) {
              const W* weights = filter + ((c * g.y.kernel + ky) * g.x.kernel + kx) * g.depth;
              for (std::int64_t d = 0; d < g.depth; ++d) to[c] = products.add(to[c], in[d], weights[d]);
            }
          }
}

Result<void> transpose_conv(Call& call) {
  MACAW_ASSIGN(const auto* options, call.options_as<schema::TransposeConvOptionsT>());
  MACAW_ASSIGN(const Tensor* in, call.input(kInput));
  MACAW_ASSIGN(const Tensor* filter, call.input(kFilter));
  Tensor& out = call.output();
  MACAW_ASSIGN(const Geometry g, geometry(*in, *filter, out, *options));
  MACAW_ASSIGN(const auto products, Products::create(call, {.input = kInput,
                                                            .filter = kFilter,
                                                            .bias = kBias,
                                                            .channels = g.channels,
                                                            .activation = options->fused_activation_function,
                                                            .bias_type = options->quantized_bias_type}));
  MACAW_ASSIGN(const auto work, element_count({in->size(), g.y.kernel, g.x.kernel, g.channels}));
  MACAW_CHECK(call.account(work));
  products.with_types([&]<class T, class W, class Sum>(T, W, Sum) {
    std::vector<Sum> sums(static_cast<std::size_t>(out.size()));
    accumulate(g, products, in->data<T>().data(), products.filter<W>(*filter), sums.data());
    const auto values = out.uninitialized_data<T>();
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = products.finish<T>(sums[i], i % static_cast<std::size_t>(g.channels));
  });
  return {};
}

constexpr Definition kDefinitions[] = {
    {"TRANSPOSE_CONV", 3, 4, 1, 1, transpose_conv},
};

}  // namespace

extern constexpr Operators kOperators = kDefinitions;

}  // namespace macaw::tflite::transpose_conv
