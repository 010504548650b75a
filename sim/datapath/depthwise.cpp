#include "sim/datapath/conv.hpp"
#include "sim/datapath/input_map.hpp"
#include "sim/datapath/pixel_rows.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Taps whose products with a 9-bit weight sum to less than 2^31 for any int16 input.
constexpr std::size_t kExactTaps = 256;

/// Offsets from a pixel to the taps of a kernel.
template <class T>
std::vector<std::ptrdiff_t> tap_offsets(const Kernel& k, const InputMap<T>& input) {
  std::vector<std::ptrdiff_t> offsets;
  const int taps_x = k.taps_x();
  for (int t = 0; t < k.taps_y() * taps_x; ++t)
    offsets.push_back((std::ptrdiff_t{t / taps_x} * k.dilation_y * input.w + (t % taps_x) * k.dilation_x) *
                      input.pixel_stride);
  return offsets;
}

template <class T>
Result<void> run(const BlockOperation& op, const FeatureMapView& ifm, const TapWeights& weights,
                 std::span<const std::int32_t> start, OutputRows& out) {
  MACAW_ASSIGN(const auto input, load_input<T>(op, ifm, true, kGemmChannels, out.workers()));
  const auto offsets = tap_offsets(op.kernel, input);
  const PixelRows rows(op, weights.channels);
  out.for_rows([&](int first, int end, RowWriter& writer) {
    rows.compute(first, end, input, writer, [&](std::span<const T* const> pixels, std::int32_t* sums) {
      depthwise_sums(pixels, offsets, weights.tap(0), start, sums);
    });
  });
  return {};
}

/// For accumulators of more than 32 bits, from partial sums that fit 32.
Result<void> run_wide(const BlockOperation& op, const FeatureMapView& ifm, const TapWeights& weights, OutputRows& out) {
  MACAW_ASSIGN(const auto input, load_input<std::int16_t>(op, ifm, true, kGemmChannels, out.workers()));
  const auto offsets = tap_offsets(op.kernel, input);
  const std::vector<std::int32_t> zeros(static_cast<std::size_t>(weights.channels));
  out.for_rows([&](int first, int end, RowWriter& writer) {
    std::vector<const std::int16_t*> pixels(static_cast<std::size_t>(op.ofm.w));
    std::vector<std::int32_t> partial(pixels.size() * zeros.size());
    std::vector<std::int64_t> row(partial.size());
    for (int y = first; y < end; ++y) {
      for (int x = 0; x < op.ofm.w; ++x)
        pixels[static_cast<std::size_t>(x)] = input.at(y * op.kernel.stride_y, x * op.kernel.stride_x);
      std::ranges::fill(row, 0);
      for (std::size_t tap = 0; tap < offsets.size(); tap += kExactTaps) {
        const auto taps = std::span(offsets).subspan(tap, std::min(kExactTaps, offsets.size() - tap));
        depthwise_sums<std::int16_t>(pixels, taps, weights.tap(static_cast<int>(tap)), zeros, partial.data());
        for (std::size_t i = 0; i < row.size(); ++i) row[i] += partial[i];
      }
      writer.store(y, row.data(), weights.channels);
    }
  });
  return {};
}

/// Weights [ofm.c][taps] by a plain loop.
Result<void> run_plain(const BlockOperation& op, const FeatureMapView& ifm, const Uncleared<std::int16_t>& weights,
                       OutputRows& out) {
  const Kernel& k = op.kernel;
  MACAW_ASSIGN(const auto input, load_input<std::int64_t>(op, ifm, true, 1, out.workers()));
  const auto offsets = tap_offsets(k, input);
  out.for_rows([&](int first, int end, RowWriter& writer) {
    std::vector<std::int64_t> row(writer.row().size());
    for (int y = first; y < end; ++y) {
      std::int64_t* sum = row.data();
      for (int x = 0; x < op.ofm.w; ++x) {
        const std::int64_t* pixel = input.at(y * k.stride_y, x * k.stride_x);
        const std::int16_t* weight = weights.data();
        for (int c = 0; c < op.ofm.c; ++c, ++sum) {
          *sum = 0;
          for (const std::ptrdiff_t offset : offsets)
            *sum = wrapping_add(*sum, wrapping_mul(pixel[offset + c], *weight++));
        }
      }
      writer.store(y, row.data(), op.ofm.c);
    }
  });
  return {};
}

}  // namespace

Result<void> convolve_depthwise(const BlockOperation& op, const FeatureMapView& ifm, const ConvWeights& weights,
                                OutputRows& out) {
  const auto* taps = std::get_if<TapWeights>(&weights);
  if (!taps) return run_plain(op, ifm, std::get<Uncleared<std::int16_t>>(weights), out);
  if (op.acc_format != AccFormat::kI32) return run_wide(op, ifm, *taps, out);
  if (stays_bytes(op.ifm)) return run<std::uint8_t>(op, ifm, *taps, zero_point_terms(op.ifm, taps->sums), out);
  return run<std::int16_t>(op, ifm, *taps, std::vector<std::int32_t>(taps->sums.size()), out);
}

}  // namespace macaw::npu
