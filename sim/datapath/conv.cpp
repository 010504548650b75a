#include "sim/datapath/conv.hpp"
#include "sim/datapath/gemm.hpp"
#include "sim/datapath/input_map.hpp"
#include "sim/datapath/pixel_rows.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Sums of one OFM row in 32-bit arithmetic modulo 2^32, which is the width of a 32-bit accumulator.
void narrow_row(const GemmWeights& weights, const InputMap<std::int16_t>& input, const Kernel& k, int y, int width,
                int blocks, std::span<const std::ptrdiff_t> offsets, std::vector<std::int32_t>& row) {
  const std::ptrdiff_t stride = std::ptrdiff_t{blocks} * kGemmChannels;
  const std::ptrdiff_t run_stride = std::ptrdiff_t{weights.pairs} * 2 * kGemmChannels;
  for (int b = 0; b < blocks; ++b)
    gemm_block(input.at(y * k.stride_y, 0), k.stride_x * input.pixel_stride, width, offsets, weights.pairs,
               weights.block(b, 0), run_stride, row.data() + b * kGemmChannels, stride);
}

/// The same in 64-bit accumulators, from partial sums that fit 32 bits.
void wide_row(const GemmWeights& weights, const InputMap<std::int16_t>& input, const Kernel& k, int y, int width,
              int blocks, std::span<const std::ptrdiff_t> offsets, std::vector<std::int32_t>& partial,
              std::vector<std::int64_t>& row) {
  const std::ptrdiff_t stride = std::ptrdiff_t{blocks} * kGemmChannels;
  std::fill(row.begin(), row.end(), 0);
  for (int b = 0; b < blocks; ++b) {
    for (std::size_t r = 0; r < offsets.size(); ++r) {
      for (int first = 0; first < weights.pairs; first += kGemmExactPairs) {
        const std::ptrdiff_t offset = offsets[r] + 2 * std::ptrdiff_t{first};
        gemm_block(input.at(y * k.stride_y, 0), k.stride_x * input.pixel_stride, width, {&offset, 1},
                   std::min(kGemmExactPairs, weights.pairs - first),
                   weights.block(b, static_cast<int>(r)) + std::ptrdiff_t{first} * 2 * kGemmChannels, 0, partial.data(),
                   kGemmChannels);
        for (int x = 0; x < width; ++x)
          for (int c = 0; c < kGemmChannels; ++c)
            row[static_cast<std::size_t>(x * stride + b * kGemmChannels + c)] +=
                partial[static_cast<std::size_t>(x * kGemmChannels + c)];
      }
    }
  }
}

/// Offsets from a pixel to the starts of the runs of a kernel.
template <class T>
std::vector<std::ptrdiff_t> run_offsets(const Kernel& k, const InputMap<T>& input) {
  std::vector<std::ptrdiff_t> offsets;
  for (int ky = 0; ky < k.taps_y(); ++ky)
    for (int kx = 0; kx < (k.dilation_x == 1 ? 1 : k.taps_x()); ++kx)
      offsets.push_back((std::ptrdiff_t{ky} * k.dilation_y * input.w + std::ptrdiff_t{kx} * k.dilation_x) *
                        input.pixel_stride);
  return offsets;
}

Result<void> convolve(const BlockOperation& op, const FeatureMapView& ifm, const GemmWeights& weights,
                      OutputRows& out) {
  MACAW_ASSIGN(const auto input, load_input<std::int16_t>(op, ifm, true, kPairChannels, out.workers()));
  const auto offsets = run_offsets(op.kernel, input);
  const int blocks = static_cast<int>(ceil_div(op.ofm.c, kGemmChannels));
  const std::ptrdiff_t stride = std::ptrdiff_t{blocks} * kGemmChannels;
  const auto elements = static_cast<std::size_t>(op.ofm.w * stride);
  out.for_rows([&](int first, int end, RowWriter& writer) {
    if (op.acc_format == AccFormat::kI32) {
      std::vector<std::int32_t> row(elements);
      for (int y = first; y < end; ++y) {
        narrow_row(weights, input, op.kernel, y, op.ofm.w, blocks, offsets, row);
        writer.store(y, row.data(), stride);
      }
    } else {
      std::vector<std::int32_t> partial(static_cast<std::size_t>(op.ofm.w) * kGemmChannels);
      std::vector<std::int64_t> row(elements);
      for (int y = first; y < end; ++y) {
        wide_row(weights, input, op.kernel, y, op.ofm.w, blocks, offsets, partial, row);
        writer.store(y, row.data(), stride);
      }
    }
  });
  return {};
}

Result<void> convolve(const BlockOperation& op, const FeatureMapView& ifm, const ByteWeights& weights,
                      OutputRows& out) {
  MACAW_ASSIGN(const auto input, load_input<std::uint8_t>(op, ifm, true, kByteChannels, out.workers()));
  const auto offsets = run_offsets(op.kernel, input);
  const auto start = zero_point_terms(op.ifm, weights.sums);
  const PixelRows rows(op, weights.blocks * kGemmChannels);
  out.for_rows([&](int first, int end, RowWriter& writer) {
    rows.compute(first, end, input, writer, [&](std::span<const std::uint8_t* const> pixels, std::int32_t* sums) {
      byte_product(pixels, offsets, weights, start, sums);
    });
  });
  return {};
}

/// Convolution by a plain loop, which is required for inputs that do not fit int16 after subtracting the zero point.
Result<void> convolve(const BlockOperation& op, const FeatureMapView& ifm, const Uncleared<std::int16_t>& weights,
                      OutputRows& out) {
  const Kernel& k = op.kernel;
  MACAW_ASSIGN(const auto input, load_input<std::int64_t>(op, ifm, true, 1, out.workers()));
  out.for_rows([&](int first, int end, RowWriter& writer) {
    std::vector<std::int64_t> row(writer.row().size());
    for (int y = first; y < end; ++y) {
      for (int x = 0; x < op.ofm.w; ++x) {
        const std::int16_t* w = weights.data();
        for (int c = 0; c < op.ofm.c; ++c) {
          std::int64_t sum = 0;
          for (int ky = 0; ky < k.taps_y(); ++ky)
            for (int kx = 0; kx < k.taps_x(); ++kx) {
              const std::int64_t* in = input.at(y * k.stride_y + ky * k.dilation_y, x * k.stride_x + kx * k.dilation_x);
              for (int i = 0; i < op.ifm.c; ++i) sum = wrapping_add(sum, wrapping_mul(in[i], *w++));
            }
          row[static_cast<std::size_t>(std::int64_t{x} * op.ofm.c + c)] = sum;
        }
      }
      writer.store(y, row.data(), op.ofm.c);
    }
  });
  return {};
}

Result<void> convolve(const BlockOperation&, const FeatureMapView&, const TapWeights&, OutputRows&) {
  return fail(ErrorCode::kInvalidGraph, "a convolution over channels has no weights of single channels");
}

}  // namespace

Result<void> convolve(const BlockOperation& op, const FeatureMapView& ifm, const ConvWeights& weights,
                      OutputRows& out) {
  return std::visit([&](const auto& form) { return convolve(op, ifm, form, out); }, weights);
}

}  // namespace macaw::npu
