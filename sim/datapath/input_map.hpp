#pragma once
#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/workers.hpp"

#include <memory>

namespace macaw::npu {

/// Channels of an input pixel are padded to a multiple of this number, for kernels that read inputs in fours, in pairs
/// and in vectors.
inline constexpr int kByteChannels = 4, kPairChannels = 2;

/// An IFM as the MAC engine uses it: zero point subtracted, upscaled, surrounded by zeros where the kernel overhangs.
/// As bytes, the elements are numbered from the minimum of their type instead, and surrounded by the byte of the zero
/// point.
template <class T>
struct InputMap {
  int h = 0, w = 0;
  std::ptrdiff_t pixel_stride = 0;  ///< elements; channels beyond the IFM's are zero
  std::unique_ptr<T[]> values;

  [[nodiscard]] const T* at(int y, int x) const { return values.get() + (std::ptrdiff_t{y} * w + x) * pixel_stride; }
};

/// Reads the IFM of a convolution or pool. With `padded`, the map includes padding rows and columns, otherwise only the
/// upscaled IFM. Channels are rounded up to `channel_multiple`. T is int16_t or int64_t, or uint8_t where
/// stays_bytes().
template <class T>
[[nodiscard]] Result<InputMap<T>> load_input(const BlockOperation& operation, const FeatureMapView& ifm, bool padded,
                                             int channel_multiple, Workers* workers = nullptr);

}  // namespace macaw::npu
