#pragma once
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/workers.hpp"

#include <memory>

namespace macaw::npu {

/// Channels that a pixel of an input takes: a multiple of this many, for kernels that take inputs in fours, in pairs
/// and in vectors.
inline constexpr int kByteChannels = 4, kPairChannels = 2;

/// An IFM as the MAC engine sees it: zero point subtracted, upscaled, surrounded by zeros where the kernel overhangs.
/// As bytes the elements are numbered from the least of their type on instead, and the zero point's byte is around
/// them.
template <class T>
struct InputMap {
  int h = 0, w = 0;
  std::ptrdiff_t pixel_stride = 0;  ///< elements; channels beyond the IFM's are zero
  std::unique_ptr<T[]> values;

  [[nodiscard]] const T* at(int y, int x) const { return values.get() + (std::ptrdiff_t{y} * w + x) * pixel_stride; }
};

/// Reads the IFM of a convolution or pool. With `padded`, padding rows and columns are part of the map, otherwise the
/// map holds the upscaled IFM alone. Channels are rounded up to `channel_multiple`. T is int16_t or int64_t, or uint8_t
/// where stays_bytes().
template <class T>
[[nodiscard]] Result<InputMap<T>> load_input(const BlockOperation& operation, const FeatureMapView& ifm, bool padded,
                                             int channel_multiple, Workers* workers = nullptr);

}  // namespace macaw::npu
