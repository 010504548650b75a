#pragma once
#include "sim/datapath/conv_weights.hpp"
#include "sim/datapath/input_map.hpp"
#include "sim/datapath/output_rows.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace macaw::npu {

/// Returns initial values for sums of bytes, numbered from the minimum of their type, that account for the zero point;
/// modulo 2^32.
[[nodiscard]] inline std::vector<std::int32_t> zero_point_terms(const FeatureMap& ifm,
                                                                std::span<const std::int32_t> weight_sums) {
  std::vector<std::int32_t> terms(weight_sums.size());
  const std::uint32_t zero = zero_byte(ifm);
  for (std::size_t c = 0; c < terms.size(); ++c)
    terms[c] = static_cast<std::int32_t>(0u - zero * static_cast<std::uint32_t>(weight_sums[c]));
  return terms;
}

/// Computes the pixels of OFM rows many at a time.
class PixelRows {
 public:
  /// `channels`: number of channels of the sums, at least the OFM's and a multiple of kGemmChannels.
  PixelRows(const BlockOperation& operation, int channels) : op_(operation), channels_(channels) {}

  /// sum(pixels, sums) writes sums [pixels][channels] of inputs that begin at `pixels`.
  template <class T, class Sum>
  void compute(int first, int end, const InputMap<T>& input, RowWriter& writer, Sum&& sum) const {
    // As many rows of sums as fit a second-level cache.
    constexpr std::ptrdiff_t kSums = 32768;
    const Kernel& k = op_.kernel;
    const std::ptrdiff_t row = std::ptrdiff_t{op_.ofm.w} * channels_;
    const int together = static_cast<int>(std::clamp<std::ptrdiff_t>(kSums / row, 1, end - first));
    const auto sums = std::make_unique_for_overwrite<std::int32_t[]>(static_cast<std::size_t>(row * together));
    std::vector<const T*> pixels;
    pixels.reserve(static_cast<std::size_t>(together) * static_cast<std::size_t>(op_.ofm.w));
    for (int y = first; y < end; y += together) {
      const int last = std::min(end, y + together);
      pixels.clear();
      for (int at = y; at < last; ++at)
        for (int x = 0; x < op_.ofm.w; ++x) pixels.push_back(input.at(at * k.stride_y, x * k.stride_x));
      sum(std::span<const T* const>(pixels), sums.get());
      for (int at = y; at < last; ++at) writer.store(at, sums.get() + (at - y) * row, channels_);
    }
  }

 private:
  const BlockOperation& op_;
  int channels_;
};

}  // namespace macaw::npu
