#include "reference/op/tensor/dense.hpp"

#include <algorithm>
#include <cstring>

#include "reference/op/gemm/gemm.hpp"
#include "reference/op/gemm/overflow.hpp"
#include "reference/op/tensor/accumulator.hpp"

namespace macaw::tosa {
namespace {

// Rows of gathered input that stay in the second-level cache while all weights pass by.
constexpr std::size_t kBlockBytes = std::size_t{1} << 17;
constexpr std::size_t kMinBlockRows = 12;

bool consecutive(const GatherAxis& axis) {
  for (std::size_t i = 1; i < axis.taps.size(); ++i)
    if (axis.taps[i].offset != axis.taps[i - 1].offset + 1) return false;
  return true;
}

/// Gathers the input elements that an output position sums, in the order of the weights; zeros outside the input.
class Gather {
 public:
  Gather(const DenseConvolution& convolution, const std::int16_t* input)
      : axes_(convolution.axes), channels_(convolution.in_channels), input_(input), runs_(consecutive(axes_[2])) {}

  /// `position` counts batch, depth, height and width of the output grid.
  void row(std::int64_t position, std::int16_t* out) const {
    const auto& [depth, height, width] = axes_;
    const auto x = position % width.out_count * width.in_step;
    position /= width.out_count;
    const auto y = position % height.out_count * height.in_step;
    position /= height.out_count;
    const auto z = position % depth.out_count * depth.in_step;
    const auto batch = position / depth.out_count;
    const auto line = static_cast<std::int64_t>(width.taps.size()) * channels_;
    for (const auto& tap_z : depth.taps)
      for (const auto& tap_y : height.taps) {
        const auto iz = z + tap_z.offset, iy = y + tap_y.offset;
        if (iz < 0 || iz >= depth.in_size || iy < 0 || iy >= height.in_size) std::fill_n(out, line, std::int16_t{0});
        else
          gather_line(input_ + ((batch * depth.in_size + iz) * height.in_size + iy) * width.in_size * channels_, x,
                      out);
        out += line;
      }
  }

 private:
  void gather_line(const std::int16_t* in, std::int64_t x, std::int16_t* out) const {
    const auto& width = axes_[2];
    const auto count = static_cast<std::int64_t>(width.taps.size());
    if (runs_ && count > 0) {
      const auto first = x + width.taps.front().offset;
      const auto from = std::clamp<std::int64_t>(-first, 0, count);
      const auto to = std::clamp<std::int64_t>(width.in_size - first, from, count);
      std::fill_n(out, from * channels_, std::int16_t{0});
      if (to > from) std::copy_n(in + (first + from) * channels_, (to - from) * channels_, out + from * channels_);
      std::fill_n(out + to * channels_, (count - to) * channels_, std::int16_t{0});
      return;
    }
    for (const auto& tap : width.taps) {
      const auto ix = x + tap.offset;
      if (ix < 0 || ix >= width.in_size) std::fill_n(out, channels_, std::int16_t{0});
      else std::copy_n(in + ix * channels_, channels_, out);
      out += channels_;
    }
  }

  const std::array<GatherAxis, 3>& axes_;
  std::int64_t channels_;
  const std::int16_t* input_;
  bool runs_;
};

template <class Weight>
PackedMatrix pack_weights(const DenseConvolution& convolution, std::span<const Weight> weights, Weight zero_point) {
  const auto& [depth, height, width] = convolution.axes;
  const auto channels = static_cast<std::size_t>(convolution.in_channels);
  const auto taps = depth.taps.size() * height.taps.size() * width.taps.size();
  PackedMatrix matrix(taps * channels, static_cast<std::size_t>(convolution.out_channels));
  for (std::size_t oc = 0; oc < matrix.n(); ++oc) {
    std::size_t k = 0;
    for (const auto& z : depth.taps)
      for (const auto& y : height.taps)
        for (const auto& x : width.taps) {
          const auto position =
              ((static_cast<std::int64_t>(oc) * depth.weight_size + z.weight) * height.weight_size + y.weight) *
                  width.weight_size +
              x.weight;
          const auto* from = weights.data() + position * convolution.in_channels;
          for (std::size_t ic = 0; ic < channels; ++ic)
            matrix.at(k++, oc) = static_cast<std::int16_t>(from[ic] - zero_point);
        }
  }
  return matrix;
}

// Input rows are the rows of the product as they lie.
bool is_pointwise(const DenseConvolution& convolution) {
  return std::all_of(convolution.axes.begin(), convolution.axes.end(), [](const GatherAxis& axis) {
    return axis.taps.size() == 1 && axis.taps[0].offset == 0 && axis.in_step == 1 && axis.out_count == axis.in_size;
  });
}

std::int64_t output_offset(const DenseConvolution& convolution, std::int64_t position) {
  const auto& [depth, height, width] = convolution.axes;
  const auto at = [&](const GatherAxis& axis) {
    const auto i = position % axis.out_count;
    position /= axis.out_count;
    return axis.out_first + i * axis.out_step;
  };
  const auto x = at(width), y = at(height), z = at(depth);
  return (((position * depth.out_size + z) * height.out_size + y) * width.out_size + x) * convolution.out_channels;
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
  const Gather gather(convolution, values.data());
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
  call.require(holds, "output", kSumRule);
}

template void dense_convolution<std::int8_t, std::int8_t>(Call&, std::span<const DenseConvolution>);
template void dense_convolution<std::int16_t, std::int8_t>(Call&, std::span<const DenseConvolution>);

GatherAxis convolution_axis(std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t pad,
                            std::int64_t stride, std::int64_t dilation) {
  GatherAxis axis{in, kernel, out, 0, 1, out, stride, {}};
  axis.taps.reserve(static_cast<std::size_t>(kernel));
  for (std::int64_t k = 0; k < kernel; ++k) axis.taps.push_back({k, k * dilation - pad});
  return axis;
}

}  // namespace macaw::tosa
