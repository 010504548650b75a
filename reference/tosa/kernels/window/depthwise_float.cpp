#include "reference/tosa/kernels/window/depthwise.hpp"
#include "reference/tosa/kernels/window/dot_product.hpp"

namespace macaw::tosa {
namespace {

/// sums[c * multiplier + m] += in[c] * weight[c * multiplier + m]
template <class T>
void add_products(const T* in, const T* weight, std::size_t channels, std::size_t multiplier, T* sums) {
  if (multiplier == 1) {
    for (std::size_t c = 0; c < channels; ++c) sums[c] += in[c] * weight[c];
  } else {
    for (std::size_t c = 0; c < channels; ++c, weight += multiplier, sums += multiplier)
      for (std::size_t m = 0; m < multiplier; ++m) sums[m] += in[c] * weight[m];
  }
}

}  // namespace

template <class T>
void depthwise_floats(Call& call) {
  const DepthwiseWindow window(call);
  const ConvolutionOperands<T> operands(call);
  const auto channels = window.channels(), out_channels = window.out_channels();
  Scratch<T> memory(operands.weight.data() ? 0 : static_cast<std::size_t>(operands.weight.size()));
  const auto* weights = operands.weight.part(0, operands.weight.size(), memory.data());
  const auto* bias = operands.bias.data();
  const std::size_t bias_step = operands.bias.size() == 1 ? 0 : 1;
  const std::vector<T> zeros(channels);
  const bool all = multiplies_padding(call);
  const StoreSums<T> store(call);
  window.split_rows(call, [&](std::size_t first, std::size_t end) {
    std::vector<T> sums(out_channels), pixel(operands.input.data() ? 0 : channels);
    auto at = static_cast<std::int64_t>(first * window.row_size());
    for (; first < end; ++first)
      for (std::int64_t ox = 0; ox < window.width(); ++ox, at += static_cast<std::int64_t>(out_channels)) {
        std::ranges::fill(sums, T{0});
        window.for_each_tap(first, ox, [&](std::size_t tap, std::int64_t offset) {
          if (offset < 0 && !all) return;
          const auto* in = offset < 0 ? zeros.data()
                                      : operands.input.part(offset, static_cast<std::int64_t>(channels), pixel.data());
          add_products(in, weights + tap * out_channels, channels, window.multiplier(), sums.data());
        });
        for (std::size_t c = 0; c < out_channels; ++c) sums[c] += bias[c * bias_step];
        store(sums, at);
      }
  });
}

template void depthwise_floats<float>(Call&);
template void depthwise_floats<double>(Call&);

}  // namespace macaw::tosa
