#pragma once
#include "sim/datapath/feature_map.hpp"

#include <vector>

namespace macaw::npu {

/// An IFM as the MAC engine sees it: zero point subtracted, upscaled, surrounded by zeros where the kernel overhangs.
template <class T>
struct InputMap {
  int h = 0, w = 0;
  std::ptrdiff_t pixel_stride = 0;  ///< elements; channels beyond the IFM's are zero
  std::vector<T> values;

  [[nodiscard]] const T* at(int y, int x) const { return values.data() + (std::ptrdiff_t{y} * w + x) * pixel_stride; }
};

/// Reads the IFM of a convolution or pool. With `padded`, padding rows and columns are part of the map, otherwise the
/// map holds the upscaled IFM alone. Channels are rounded up to `channel_multiple`.
template <class T>
[[nodiscard]] Result<InputMap<T>> load_input(const BlockOperation& operation, const FeatureMapView& ifm, bool padded,
                                             int channel_multiple);

}  // namespace macaw::npu
