#include <algorithm>
#include <cmath>

#include "reference/op/gemm/float_gemm.hpp"
#include "reference/op/tensor/blocks.hpp"
#include "reference/op/tensor/dot_product.hpp"
#include "reference/op/tensor/gather.hpp"
#include "reference/op/workers.hpp"

namespace macaw::tosa {
namespace {

/// Those of the output channels from `first` on, `count` of them.
template <class T>
FloatPanels<T> pack_weights(const DenseConvolution& convolution, std::span<const T> weights, std::size_t first,
                            std::size_t count) {
  FloatPanels<T> panels(rows_of_weights(convolution), count);
  for_each_weight(convolution, static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count),
                  [&](std::size_t k, std::size_t oc, std::size_t at) { panels.at(k, oc - first) = weights[at]; });
  return panels;
}

/// One row of float_gemm over the k whose `inside` is not 0.
template <class T>
void sum_inside(const T* row, const T* inside, const FloatPanels<T>& weights, T* sums) {
  std::fill_n(sums, weights.n(), T{0});
  for (std::size_t k = 0; k < weights.k(); ++k)
    if (inside[k] != 0)
      for (std::size_t n = 0; n < weights.n(); ++n) sums[n] += row[k] * weights.at(k, n);
}

template <class T>
struct Phase {
  const DenseConvolution& convolution;
  std::span<const T> input, bias;
  bool finite;  ///< what lies outside the input may be multiplied as a zero
  Gather<T> gather, gather_inside;
  T* out;
};

/// Output positions [first, end) of the channels from `channel` on, as many as there are panels for.
template <class T>
void run_rows(const Call& call, const Phase<T>& phase, const FloatPanels<T>& panels, std::size_t channel,
              std::size_t first, std::size_t end) {
  const auto& convolution = phase.convolution;
  const bool pointwise = is_pointwise(convolution), in_order = fills_output(convolution);
  const auto k = panels.k(), columns = panels.columns();
  const auto block = std::min(end - first, rows_in_block((k + columns) * sizeof(T)));
  Scratch<T> gathered(pointwise ? 0 : block * k), inside(phase.finite ? 0 : k), sums(block * columns);
  const auto* bias = phase.bias.data() + (phase.bias.size() == 1 ? 0 : channel);
  const std::size_t bias_step = phase.bias.size() == 1 ? 0 : 1;
  for (; first < end; first += block) {
    const auto rows = std::min(block, end - first);
    if (!pointwise) phase.gather.rows(static_cast<std::int64_t>(first), rows, gathered.data(), k);
    const FloatRows<T> a{pointwise ? phase.input.data() + first * k : gathered.data(), rows, k};
    if (call.kernels == Kernels::kScalar) float_gemm_scalar(a, panels, sums.data());
    else float_gemm(a, panels, sums.data());
    for (std::size_t i = 0; i < rows; ++i) {
      auto* sum = sums.data() + i * columns;
      const auto position = static_cast<std::int64_t>(first + i);
      if (!phase.finite) {
        phase.gather_inside.row(position, inside.data());
        sum_inside(a.data + i * k, inside.data(), panels, sum);
      }
      auto* to =
          phase.out + channel + (in_order ? position * convolution.out_channels : output_offset(convolution, position));
      for (std::size_t n = 0; n < panels.n(); ++n) to[n] = sum[n] + bias[n * bias_step];
    }
  }
}

template <class T>
void run_phase(const Call& call, const DenseConvolution& convolution, const ConvolutionOperands<T>& operands, T* out) {
  const auto input = operands.input.span(), weight = operands.weight.span();
  // What lies outside the input is multiplied only in a bounds run. A zero does for both, but for weights that are
  // infinite or NaN.
  const bool finite = multiplies_padding(call) ||
                      std::all_of(weight.begin(), weight.end(), [](T value) { return std::isfinite(value); });
  const std::vector<T> ones(finite ? 0 : input.size(), T{1});
  const Phase<T> phase{
      convolution, input, operands.bias.span(), finite, {convolution, input.data()}, {convolution, ones.data()}, out};

  const auto& [depth, height, width] = convolution.axes;
  const auto positions =
      static_cast<std::size_t>(convolution.batches * depth.out_count * height.out_count * width.out_count);
  const auto k = rows_of_weights(convolution), channels = static_cast<std::size_t>(convolution.out_channels);
  const auto step = columns_in_block(k * sizeof(T));
  for (std::size_t channel = 0; channel < channels; channel += step) {
    const auto count = std::min(step, channels - channel);
    const auto panels = pack_weights(convolution, weight, channel, count);
    split(call, positions, kLeastWork / std::max<std::size_t>(k * count, 1) + 1,
          [&](std::size_t first, std::size_t end) { run_rows(call, phase, panels, channel, first, end); });
  }
}

}  // namespace

template <class T>
void float_convolution(Call& call, std::span<const DenseConvolution> phases) {
  const ConvolutionOperands<T> operands(call);
  FloatOutput<T> out(call.out(0), Contents::kAny);
  for (const auto& phase : phases) run_phase<T>(call, phase, operands, out.data());
}

template void float_convolution<float>(Call&, std::span<const DenseConvolution>);
template void float_convolution<double>(Call&, std::span<const DenseConvolution>);

}  // namespace macaw::tosa
