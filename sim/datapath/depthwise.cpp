#include "sim/datapath/conv.hpp"
#include "sim/datapath/input_map.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Taps whose products with a 9-bit weight sum to less than 2^31 for any int16 input.
constexpr int kExactTaps = 256;

/// sums[c] += input[c] * weights[c]
void add_products(const std::int16_t* input, const std::int16_t* weights, int count, std::int32_t* sums) {
  for (int c = 0; c < count; ++c) sums[c] += input[c] * weights[c];
}
void add_products(const std::int64_t* input, const std::int16_t* weights, int count, std::int64_t* sums) {
  for (int c = 0; c < count; ++c) sums[c] = wrapping_add(sums[c], wrapping_mul(input[c], weights[c]));
}

template <class T, class Partial>
Result<void> run(const BlockOperation& op, const FeatureMapView& ifm, std::span<const std::int16_t> weights,
                 const ChannelScaling& scaling, OutputRows& out) {
  const Kernel& k = op.kernel;
  MACAW_ASSIGN(const auto input, load_input<T>(op, ifm, true, 1));
  const int taps_y = k.taps_y(), taps_x = k.taps_x(), taps = taps_y * taps_x, depth = op.ofm.c;
  std::vector<std::int16_t> by_tap(weights.size());
  for (int c = 0; c < depth; ++c)
    for (int t = 0; t < taps; ++t)
      by_tap[static_cast<std::size_t>(t) * static_cast<std::size_t>(depth) + static_cast<std::size_t>(c)] =
          weights[static_cast<std::size_t>(c) * static_cast<std::size_t>(taps) + static_cast<std::size_t>(t)];
  std::vector<Partial> partial(static_cast<std::size_t>(depth));
  std::vector<std::int64_t> row(out.row().size());
  for (int y = 0; y < op.ofm.h; ++y) {
    for (int x = 0; x < op.ofm.w; ++x) {
      std::int64_t* sums = row.data() + std::ptrdiff_t{x} * depth;
      std::fill_n(sums, depth, 0);
      for (int first = 0; first < taps; first += kExactTaps) {
        std::fill(partial.begin(), partial.end(), 0);
        for (int t = first; t < std::min(taps, first + kExactTaps); ++t)
          add_products(
              input.at(y * k.stride_y + (t / taps_x) * k.dilation_y, x * k.stride_x + (t % taps_x) * k.dilation_x),
              by_tap.data() + std::ptrdiff_t{t} * depth, depth, partial.data());
        for (int c = 0; c < depth; ++c) sums[c] = wrapping_add(sums[c], partial[static_cast<std::size_t>(c)]);
      }
    }
    out.store(y, row.data(), depth, scaling);
  }
  return {};
}

}  // namespace

Result<void> convolve_depthwise(const BlockOperation& op, const FeatureMapView& ifm,
                                std::span<const std::int16_t> weights, const ChannelScaling& scaling, OutputRows& out) {
  return fits_int16(op.ifm) ? run<std::int16_t, std::int32_t>(op, ifm, weights, scaling, out)
                            : run<std::int64_t, std::int64_t>(op, ifm, weights, scaling, out);
}

}  // namespace macaw::npu
