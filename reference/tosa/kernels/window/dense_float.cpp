#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "reference/tosa/kernels/gemm/float_gemm.hpp"
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/window/dot_product.hpp"
#include "reference/tosa/kernels/window/gather.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {
namespace {

/// Packed weights of some output channels.
template <class T>
struct PackedWeights {
  FloatPanels<T> panels;
  bool finite = true;
};

/// The weights of `count` output channels from `first` on.
template <class T>
PackedWeights<T> pack_weights(const DenseConvolution& convolution, const DotProductOperand<T>& weight,
                              std::size_t first, std::size_t count) {
  PackedWeights<T> packed{{rows_of_weights(convolution), count}};
  const auto size = weight.size() / convolution.out_channels;
  if (weight.data() && takes_all_weights(convolution)) {
    const std::span all(weight.data() + first * static_cast<std::size_t>(size), count * static_cast<std::size_t>(size));
    packed.panels.pack_transposed(all.data(), static_cast<std::size_t>(size));
    for (const auto value : all) packed.finite &= std::isfinite(value);
    return packed;
  }
  Scratch<T> memory(weight.data() ? 0 : static_cast<std::size_t>(size));
  for (std::size_t n = 0; n < count; ++n) {
    const auto channel = static_cast<std::int64_t>(first + n);
    const auto* weights = weight.part(channel * size, size, memory.data());
    for_each_weight(convolution, 0, 1, [&](std::size_t k, std::size_t, std::size_t at) {
      packed.panels.at(k, n) = weights[at];
      packed.finite &= std::isfinite(weights[at]);
    });
  }
  return packed;
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
void add(const T* terms, std::size_t count, T* sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += terms[i];
}

/// An input of ones.
template <class T>
struct Ones {
  void operator()(std::int64_t, std::int64_t count, T* out) const { std::fill_n(out, count, T{1}); }
};

template <class T>
struct Phase {
  const DenseConvolution& convolution;
  const ConvolutionOperands<T>& operands;
  const StoreSums<T>& store;
};

/// Elements of the input; elements that several positions of a block read are kept in converted form.
template <class T>
class RowsInput {
 public:
  /// Holds at most `capacity` elements.
  RowsInput(const DotProductOperand<T>& input, std::size_t capacity)
      : input_(input), memory_(input.data() ? 0 : capacity) {}

  void hold(std::pair<std::int64_t, std::int64_t> range) {
    std::tie(begin_, end_) = range;
    if (end_ - begin_ > static_cast<std::int64_t>(memory_.size())) end_ = begin_;
    if (begin_ < end_) input_(begin_, end_ - begin_, memory_.data());
  }
  void operator()(std::int64_t first, std::int64_t count, T* out) const {
    if (first >= begin_ && first + count <= end_) std::copy_n(memory_.data() + (first - begin_), count, out);
    else input_(first, count, out);
  }

 private:
  const DotProductOperand<T>& input_;
  Scratch<T> memory_;
  std::int64_t begin_ = 0, end_ = 0;
};

/// Output positions [first, end) of the channels from `channel` on, as many as there are weights for.
template <class T>
void run_rows(const Call& call, const Phase<T>& phase, const PackedWeights<T>& weights, std::size_t channel,
              std::size_t first, std::size_t end) {
  const auto& convolution = phase.convolution;
  const auto& input = phase.operands.input;
  const auto& panels = weights.panels;
  const bool as_it_lies = is_pointwise(convolution) && input.data(), in_order = fills_output(convolution);
  // Elements outside the input are multiplied only in a bounds run. A zero does for both, but for weights that are
  // infinite or NaN.
  const bool all = weights.finite || multiplies_padding(call);
  const auto k = panels.k(), columns = panels.columns();
  const auto block = std::min(end - first, rows_in_block((k + columns) * sizeof(T)));
  RowsInput<T> block_input(input, as_it_lies ? 0 : block * k);
  const Gather<T, std::reference_wrapper<const RowsInput<T>>> gather(convolution, block_input);
  const Gather<T, Ones<T>> gather_inside(convolution, {});
  Scratch<T> gathered(as_it_lies ? 0 : block * k), inside(all ? 0 : k), sums(block * columns);
  const auto& given_bias = phase.operands.bias;
  Scratch<T> bias(panels.n());
  for (std::size_t n = 0; n < bias.size(); ++n) bias[n] = given_bias.data()[given_bias.size() == 1 ? 0 : channel + n];
  const auto add_bias = best_version<add<T>>(call.kernels);
  for (; first < end; first += block) {
    const auto rows = std::min(block, end - first);
    if (!as_it_lies) {
      block_input.hold(
          input_lines(convolution, static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + rows - 1)));
      gather.rows(static_cast<std::int64_t>(first), rows, gathered.data(), k);
    }
    const FloatRows<T> a{as_it_lies ? input.data() + first * k : gathered.data(), rows, k};
    if (call.kernels == Kernels::kScalar) float_gemm_scalar(a, panels, sums.data());
    else float_gemm(a, panels, sums.data());
    for (std::size_t i = 0; i < rows; ++i) {
      auto* sum = sums.data() + i * columns;
      const auto position = static_cast<std::int64_t>(first + i);
      if (!all) {
        gather_inside.row(position, inside.data());
        sum_inside(a.data + i * k, inside.data(), panels, sum);
      }
      add_bias(bias.data(), bias.size(), sum);
      const auto to = in_order ? position * convolution.out_channels : output_offset(convolution, position);
      phase.store({sum, panels.n()}, to + static_cast<std::int64_t>(channel));
    }
  }
}

template <class T>
void run_phase(const Call& call, const Phase<T>& phase) {
  const auto& convolution = phase.convolution;
  const auto k = rows_of_weights(convolution), channels = static_cast<std::size_t>(convolution.out_channels);
  const auto step = columns_in_block(k * sizeof(T));
  for (std::size_t channel = 0; channel < channels; channel += step) {
    const auto count = std::min(step, channels - channel);
    const auto weights = pack_weights(convolution, phase.operands.weight, channel, count);
    split(call, output_positions(convolution), kLeastWork / std::max<std::size_t>(k * count, 1) + 1,
          [&](std::size_t first, std::size_t end) { run_rows(call, phase, weights, channel, first, end); });
  }
}

}  // namespace

template <class T>
void float_convolution(Call& call, std::span<const DenseConvolution> phases) {
  const ConvolutionOperands<T> operands(call);
  const StoreSums<T> store(call);
  for (const auto& phase : phases) run_phase<T>(call, {phase, operands, store});
}

template void float_convolution<float>(Call&, std::span<const DenseConvolution>);
template void float_convolution<double>(Call&, std::span<const DenseConvolution>);

}  // namespace macaw::tosa
