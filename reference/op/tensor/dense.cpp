#include "reference/op/tensor/dense.hpp"

#include <algorithm>

#include "reference/op/gemm/gemm.hpp"
#include "reference/op/gemm/overflow.hpp"
#include "reference/op/tensor/accumulator.hpp"
#include "reference/op/tensor/gather.hpp"

namespace macaw::tosa {
namespace {

// Rows of gathered input that stay in the second-level cache while all weights pass by.
constexpr std::size_t kBlockBytes = std::size_t{1} << 17;
constexpr std::size_t kMinBlockRows = 12;

template <class Weight>
PackedMatrix pack_weights(const DenseConvolution& convolution, std::span<const Weight> weights, Weight zero_point) {
  PackedMatrix matrix(rows_of_weights(convolution), static_cast<std::size_t>(convolution.out_channels));
  for_each_weight(convolution, [&](std::size_t k, std::size_t oc, std::size_t at) {
    matrix.at(k, oc) = static_cast<std::int16_t>(weights[at] - zero_point);
  });
  return matrix;
}

/// Returns whether every REQUIRE held.
template <class In, class Weight>
bool run_phase(Call& call, const DenseConvolution& convolution, const std::vector<std::int16_t>& values,
               std::int64_t magnitude) {
  using Sum = Accumulator<In>;
  const auto bias = call.in_data<Sum>(2);
  const auto out = call.out_data<Sum>(0);
  const auto weights = pack_weights(convolution, call.in_data<Weight>(1), call.in_data<Weight>(4)[0]);
  const auto risky = risky_columns(weights, magnitude, kAccumulatorMaximum<In>);

  const auto& [depth, height, width] = convolution.axes;
  const auto positions =
      static_cast<std::size_t>(convolution.batches * depth.out_count * height.out_count * width.out_count);
  const bool pointwise = is_pointwise(convolution);
  const auto stride = pointwise ? weights.k() : 2 * weights.pairs();
  const auto columns = weights.n();
  const auto row_bytes = 2 * weights.pairs() * sizeof(std::int16_t) + columns * sizeof(Sum);
  const auto fitting = kBlockBytes / std::max<std::size_t>(row_bytes, 1) / kMinBlockRows * kMinBlockRows;
  const auto block = std::min(positions, std::max(kMinBlockRows, fitting));
  std::vector<std::int16_t> gathered(pointwise ? 0 : block * stride);
  std::vector<Sum> sums(block * columns);
  const Gather<std::int16_t> gather(convolution, values.data());
  const std::int64_t bias_step = bias.size() == 1 ? 0 : 1;

  bool holds = true;
  for (std::size_t first = 0; first < positions; first += block) {
    const auto rows = std::min(block, positions - first);
    if (!pointwise)
      for (std::size_t i = 0; i < rows; ++i)
        gather.row(static_cast<std::int64_t>(first + i), gathered.data() + i * stride);
    const Rows a{pointwise ? values.data() + first * stride : gathered.data(), rows, stride};
    gemm(a, weights, sums.data(), columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (const auto column : risky) holds &= sums_fit(a.data + i * stride, weights, column, kAccumulatorMaximum<In>);
      auto* to = out.data() + output_offset(convolution, static_cast<std::int64_t>(first + i));
      holds &= add_bias(sums.data() + i * columns, bias.data(), bias_step, columns, to);
    }
  }
  return holds;
}

}  // namespace

template <class In, class Weight>
void dense_convolution(Call& call, std::span<const DenseConvolution> phases) {
  const auto input = call.in_data<In>(0);
  // One more than there are: an odd count of products is rounded up, with a zero weight.
  std::vector<std::int16_t> values(input.size() + 1);
  subtract_zero_point(input, call.in_data<In>(3)[0], values.data());
  const auto magnitude = largest(values);
  bool holds = true;
  for (const auto& phase : phases) holds &= run_phase<In, Weight>(call, phase, values, magnitude);
  call.require(holds, kSumFits);
}

template void dense_convolution<std::int16_t, std::int8_t>(Call&, std::span<const DenseConvolution>);

GatherAxis convolution_axis(std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t pad,
                            std::int64_t stride, std::int64_t dilation) {
  GatherAxis axis{in, kernel, out, 0, 1, out, stride, {}};
  axis.taps.reserve(static_cast<std::size_t>(kernel));
  for (std::int64_t k = 0; k < kernel; ++k) axis.taps.push_back({k, k * dilation - pad});
  return axis;
}

}  // namespace macaw::tosa
