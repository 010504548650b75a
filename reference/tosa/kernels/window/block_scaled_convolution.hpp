#pragma once
#include "reference/tosa/kernels/gemm/block_scaled_product.hpp"
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/window/dot_product.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa::block_scaled {

/// The inputs of CONV2D_BLOCK_SCALED.
enum Input : std::size_t { kData, kDataScale, kWeight, kWeightScale, kBias, kPad, kStride, kDilation };

/// Extents of the operands, in elements; padding, stride and dilation by axis, y first.
struct Geometry {
  std::int64_t in[2], kernel[2], out[2], pad[2], stride[2], dilation[2];
  std::int64_t batches;
  std::size_t channels, block, out_channels;

  [[nodiscard]] std::size_t positions() const { return static_cast<std::size_t>(batches * out[0] * out[1]); }
  [[nodiscard]] std::size_t blocks() const { return channels / block; }
  [[nodiscard]] std::size_t taps() const { return static_cast<std::size_t>(kernel[0] * kernel[1]); }
};

[[nodiscard]] inline Geometry geometry_of(const Call& call) {
  const auto &in = call.in(kData).shape(), &weight = call.in(kWeight).shape(), &out = call.out(0).shape();
  const auto pad = call.in_data<std::int64_t>(kPad), stride = call.in_data<std::int64_t>(kStride),
             dilation = call.in_data<std::int64_t>(kDilation);
  return {{in[1], in[2]},
          {weight[1], weight[2]},
          {out[1], out[2]},
          {pad[0], pad[2]},
          {stride[0], stride[1]},
          {dilation[0], dilation[1]},
          in[0],
          static_cast<std::size_t>(in[3]),
          static_cast<std::size_t>(call.attr(Attr::k_block_size)),
          static_cast<std::size_t>(weight[0])};
}

template <class T>
struct Operands {
  explicit Operands(const Call& call)
      : data(call.in(kData), magnitudes_of_input(call)),
        data_scale(call.in(kDataScale), magnitudes_of_operand(call)),
        weight(call.in(kWeight), magnitudes_of_operand(call)),
        weight_scale(call.in(kWeightScale), magnitudes_of_operand(call)),
        bias(dot_product_operand<T>(call, kBias)) {}

  DotProductOperand<T> data, data_scale, weight, weight_scale;
  FloatInput<T> bias;
};

/// Sums of some output positions, tap by tap.
template <class T>
class Part {
 public:
  Part(const Call& call, const Geometry& g, const Operands<T>& operands, std::size_t rows)
      : call_(call),
        g_(g),
        operands_(operands),
        values_(rows * g.channels),
        scales_(rows * g.blocks()),
        weights_(g.out_channels * g.channels),
        weight_scales_(g.out_channels * g.blocks()),
        sums_(rows * g.out_channels),
        inside_(rows) {}

  /// For the positions [first, first + rows).
  [[nodiscard]] std::span<T> run(std::size_t first, std::size_t rows) {
    std::fill_n(sums_.data(), rows * g_.out_channels, T{0});
    for (std::size_t tap = 0; tap < g_.taps(); ++tap) {
      for (std::size_t oc = 0; oc < g_.out_channels; ++oc) {
        load(operands_.weight, oc * g_.taps() + tap, g_.channels, &weights_[oc * g_.channels]);
        load(operands_.weight_scale, oc * g_.taps() + tap, g_.blocks(), &weight_scales_[oc * g_.blocks()]);
      }
      gather(static_cast<std::int64_t>(tap), first, rows);
      add_products(rows);
    }
    for (std::size_t i = 0; i < rows * g_.out_channels; ++i)
      sums_[i] += operands_.bias[operands_.bias.size() == 1 ? 0 : i % g_.out_channels];
    return sums_.span().first(rows * g_.out_channels);
  }

 private:
  /// Row `row` of rows of `count` elements.
  static void load(const DotProductOperand<T>& operand, std::size_t row, std::size_t count, T* out) {
    operand(static_cast<std::int64_t>(row * count), static_cast<std::int64_t>(count), out);
  }

  /// Operands of one tap: a row for each output position, where it is inside the input.
  void gather(std::int64_t tap, std::size_t first, std::size_t rows) {
    const auto ky = tap / g_.kernel[1], kx = tap % g_.kernel[1];
    for (std::size_t row = 0; row < rows; ++row) {
      const auto position = static_cast<std::int64_t>(first + row);
      const auto ox = position % g_.out[1], oy = position / g_.out[1] % g_.out[0], n = position / g_.out[1] / g_.out[0];
      const auto y = oy * g_.stride[0] - g_.pad[0] + ky * g_.dilation[0];
      const auto x = ox * g_.stride[1] - g_.pad[1] + kx * g_.dilation[1];
      inside_[row] = y >= 0 && y < g_.in[0] && x >= 0 && x < g_.in[1];
      auto *values = &values_[row * g_.channels], *scales = &scales_[row * g_.blocks()];
      if (inside_[row]) {
        const auto pixel = static_cast<std::size_t>((n * g_.in[0] + y) * g_.in[1] + x);
        load(operands_.data, pixel, g_.channels, values);
        load(operands_.data_scale, pixel, g_.blocks(), scales);
      } else {
        std::fill_n(values, g_.channels, T{0});
        std::fill_n(scales, g_.blocks(), T{1});
      }
    }
  }

  /// Outside the input the values are not multiplied unless in a bounds run, but the scales are.
  void add_products(std::size_t rows) {
    const ScaledRows<T> weights{weights_.data(), weight_scales_.data(), g_.out_channels, g_.channels, g_.block};
    for (std::size_t first = 0, last = 0; first < rows; first = last) {
      while (last < rows && inside_[last] == inside_[first]) ++last;
      auto* to = &sums_[first * g_.out_channels];
      if (inside_[first] || multiplies_padding(call_)) {
        add_block_scaled_product<T>(
            call_.kernels,
            {&values_[first * g_.channels], &scales_[first * g_.blocks()], last - first, g_.channels, g_.block},
            weights, to);
      } else {
        for (std::size_t row = 0; row < last - first; ++row)
          for (std::size_t oc = 0; oc < g_.out_channels; ++oc)
            for (std::size_t b = 0; b < g_.blocks(); ++b)
              to[row * g_.out_channels + oc] += T{0} * weight_scales_[oc * g_.blocks() + b];
      }
    }
  }

  const Call& call_;
  const Geometry& g_;
  const Operands<T>& operands_;
  Scratch<T> values_, scales_, weights_, weight_scales_, sums_;
  std::vector<bool> inside_;
};

template <class T>
void convolution(const Call& call) {
  const auto g = geometry_of(call);
  const Operands<T> operands(call);
  const StoreSums<T> store(call);
  const auto work = g.channels * g.out_channels * g.taps();
  split(call, g.positions(), kLeastWork / std::max<std::size_t>(work, 1) + 1, [&](std::size_t first, std::size_t end) {
    const auto block = std::min(end - first, rows_in_block((g.channels + g.blocks() + g.out_channels) * sizeof(T)));
    Part<T> part(call, g, operands, block);
    for (; first < end; first += block)
      store(part.run(first, std::min(block, end - first)), static_cast<std::int64_t>(first * g.out_channels));
  });
}

}  // namespace macaw::tosa::block_scaled
