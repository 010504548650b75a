#include <algorithm>
#include <cmath>

#include "reference/op/gemm/float_gemm.hpp"
#include "reference/op/tensor/dot_product.hpp"
#include "reference/op/tensor/gather.hpp"

namespace macaw::tosa {
namespace {

// Rows of gathered input that stay in the second-level cache while all weights pass by.
constexpr std::size_t kBlockBytes = std::size_t{1} << 17;
constexpr std::size_t kMinBlockRows = 12;

template <class T>
FloatPanels<T> pack_weights(const DenseConvolution& convolution, std::span<const T> weights) {
  FloatPanels<T> panels(rows_of_weights(convolution), static_cast<std::size_t>(convolution.out_channels));
  for_each_weight(convolution, [&](std::size_t k, std::size_t oc, std::size_t at) { panels.at(k, oc) = weights[at]; });
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
void run_phase(const DenseConvolution& convolution, const ConvolutionOperands<T>& operands, bool all, T* out) {
  const auto input = operands.input.span(), weight = operands.weight.span(), bias = operands.bias.span();
  const auto panels = pack_weights(convolution, weight);
  // What lies outside the input is multiplied only if `all`. A zero does for both, but for weights that are infinite or
  // NaN.
  const bool finite = all || std::all_of(weight.begin(), weight.end(), [](T value) { return std::isfinite(value); });
  const std::vector<T> ones(finite ? 0 : input.size(), T{1});

  const auto& [depth, height, width] = convolution.axes;
  const auto positions =
      static_cast<std::size_t>(convolution.batches * depth.out_count * height.out_count * width.out_count);
  const bool pointwise = is_pointwise(convolution);
  const auto k = panels.k(), columns = panels.columns();
  const auto fitting =
      kBlockBytes / std::max<std::size_t>((k + columns) * sizeof(T), 1) / kMinBlockRows * kMinBlockRows;
  const auto block = std::min(positions, std::max(kMinBlockRows, fitting));
  std::vector<T> gathered(pointwise ? 0 : block * k), inside(finite ? 0 : k), sums(block * columns);
  const Gather<T> gather(convolution, input.data()), gather_inside(convolution, ones.data());
  for (std::size_t first = 0; first < positions; first += block) {
    const auto rows = std::min(block, positions - first);
    if (!pointwise)
      for (std::size_t i = 0; i < rows; ++i) gather.row(static_cast<std::int64_t>(first + i), gathered.data() + i * k);
    const FloatRows<T> a{pointwise ? input.data() + first * k : gathered.data(), rows, k};
    float_gemm(a, panels, sums.data());
    for (std::size_t i = 0; i < rows; ++i) {
      auto* sum = sums.data() + i * columns;
      const auto position = static_cast<std::int64_t>(first + i);
      if (!finite) {
        gather_inside.row(position, inside.data());
        sum_inside(a.data + i * k, inside.data(), panels, sum);
      }
      auto* to = out + output_offset(convolution, position);
      for (std::size_t n = 0; n < panels.n(); ++n) to[n] = sum[n] + bias[bias.size() == 1 ? 0 : n];
    }
  }
}

}  // namespace

template <class T>
void float_convolution(Call& call, std::span<const DenseConvolution> phases) {
  const ConvolutionOperands<T> operands(call);
  FloatOutput<T> out(call.out(0));
  for (const auto& phase : phases) run_phase<T>(phase, operands, multiplies_padding(call), out.data());
}

template void float_convolution<float>(Call&, std::span<const DenseConvolution>);
template void float_convolution<double>(Call&, std::span<const DenseConvolution>);

}  // namespace macaw::tosa
