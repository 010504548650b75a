#include <algorithm>
#include <atomic>

#include "reference/tosa/kernels/gemm/gemm.hpp"
#include "reference/tosa/kernels/gemm/overflow.hpp"
#include "reference/tosa/kernels/window/accumulator.hpp"
#include "reference/tosa/kernels/window/blocks.hpp"
#include "reference/tosa/kernels/window/dense.hpp"
#include "reference/tosa/kernels/window/gather.hpp"
#include "reference/tosa/kernels/workers.hpp"

namespace macaw::tosa {
namespace {

constexpr auto kAccumulatorLimit = kAccumulatorMaximum<std::int16_t>;

/// The zero point of an int16 input is 0 (the checks ensure it), so that the input is multiplied without a copy.
class Int16Phase {
 public:
  Int16Phase(Call& call, const DenseConvolution& convolution)
      : call_(call),
        convolution_(convolution),
        input_(call.in_data<std::int16_t>(0)),
        bias_(call.in_data<std::int64_t>(2)),
        magnitude_(largest(input_)),
        gather_(convolution, {input_.data()}),
        k_(rows_of_weights(convolution)),
        out_(call.fill_data<std::int64_t>(0).data()) {}

  /// Returns whether every REQUIRE held.
  bool run() const {
    const auto channels = static_cast<std::size_t>(convolution_.out_channels);
    const auto step = columns_in_block(k_ * sizeof(std::int16_t));
    std::atomic<bool> holds = true;
    for (std::size_t channel = 0; channel < channels; channel += step) {
      const auto weights = pack_weights(channel, std::min(step, channels - channel));
      const auto risky = risky_columns(weights, magnitude_, kAccumulatorLimit);
      split(call_, output_positions(convolution_), kLeastWork / std::max<std::size_t>(k_ * weights.n(), 1) + 1,
            [&](std::size_t first, std::size_t end) {
              if (!run_rows(weights, risky, channel, first, end)) holds = false;
            });
    }
    return holds;
  }

 private:
  /// The weights of `count` output channels from `first` on.
  PackedMatrix pack_weights(std::size_t first, std::size_t count) const {
    const auto weights = call_.in_data<std::int8_t>(1);
    const auto zero_point = call_.in_data<std::int8_t>(4)[0];
    PackedMatrix matrix(k_, count);
    for_each_weight(convolution_, static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count),
                    [&](std::size_t k, std::size_t oc, std::size_t at) {
                      matrix.at(k, oc - first) = static_cast<std::int16_t>(weights[at] - zero_point);
                    });
    return matrix;
  }

  bool run_rows(const PackedMatrix& weights, const std::vector<std::size_t>& risky, std::size_t channel,
                std::size_t first, std::size_t end) const {
    // With an odd k a row needs one element more, which lies in the next one or behind the last.
    const bool as_it_lies = is_pointwise(convolution_) && k_ % 2 == 0;
    const auto stride = 2 * weights.pairs(), columns = weights.n();
    const auto block =
        std::min(end - first, rows_in_block(stride * sizeof(std::int16_t) + columns * sizeof(std::int64_t)));
    Scratch<std::int16_t> gathered(as_it_lies ? 0 : block * stride);
    std::ranges::fill(gathered.span(), std::int16_t{0});
    Scratch<std::int64_t> sums(block * columns);
    const auto product = call_.kernels == Kernels::kScalar ? gemm_scalar : gemm;
    const auto* bias = bias_.data() + (bias_.size() == 1 ? 0 : channel);
    const std::int64_t bias_step = bias_.size() == 1 ? 0 : 1;
    bool holds = true;
    for (; first < end; first += block) {
      const auto rows = std::min(block, end - first);
      if (!as_it_lies) gather_.rows(static_cast<std::int64_t>(first), rows, gathered.data(), stride);
      const Rows a{as_it_lies ? input_.data() + first * stride : gathered.data(), rows, stride};
      product(a, weights, sums.data(), columns);
      for (std::size_t i = 0; i < rows; ++i) {
        for (const auto column : risky) holds &= sums_fit(a.data + i * stride, weights, column, kAccumulatorLimit);
        auto* to = out_ + output_offset(convolution_, static_cast<std::int64_t>(first + i)) + channel;
        holds &= add_bias(sums.data() + i * columns, bias, bias_step, columns, to);
      }
    }
    return holds;
  }

  Call& call_;
  const DenseConvolution& convolution_;
  std::span<const std::int16_t> input_;
  std::span<const std::int64_t> bias_;
  std::int64_t magnitude_;
  Gather<std::int16_t> gather_;
  std::size_t k_;
  std::int64_t* out_;
};

}  // namespace

template <>
void dense_convolution<std::int16_t>(Call& call, std::span<const DenseConvolution> phases) {
  bool holds = true;
  for (const auto& phase : phases) holds &= Int16Phase(call, phase).run();
  call.require(holds, kSumFits);
}

}  // namespace macaw::tosa
