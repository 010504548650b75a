#include "sim/datapath/input_map.hpp"
#include "sim/datapath/bits.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {

template <class T>
Result<InputMap<T>> load_input(const BlockOperation& op, const FeatureMapView& ifm, bool padded, int channel_multiple) {
  const Kernel& k = op.kernel;
  const int top = padded ? k.pad_top : 0, left = padded ? k.pad_left : 0;
  // Below 1 where the padding covers everything.
  const int up_h = op.upscaled_h(), up_w = op.upscaled_w();
  InputMap<T> map;
  map.h = padded ? up_h + k.pad_top + k.pad_bottom : std::max(0, up_h);
  map.w = padded ? up_w + k.pad_left + k.pad_right : std::max(0, up_w);
  map.pixel_stride = static_cast<std::ptrdiff_t>(round_up(ifm.map().c, channel_multiple));
  const Int128 elements = Int128{map.h} * map.w * map.pixel_stride;
  if (elements > kMaxElements)
    return fail(ErrorCode::kUnsupported, fmt::format("IFM: {}x{}x{} with padding is more than {} elements", map.h,
                                                     map.w, ifm.map().c, kMaxElements));
  map.values.resize(static_cast<std::size_t>(elements));
  if (up_h <= 0 || up_w <= 0) return map;
  const std::ptrdiff_t row_stride = std::ptrdiff_t{map.w} * map.pixel_stride;
  T* origin = map.values.data() + top * row_stride + left * map.pixel_stride;
  if (op.upscale == Upscale::kNone) {
    for (int y = 0; y < std::min(up_h, ifm.map().h); ++y) ifm.read_row(y, origin + y * row_stride, map.pixel_stride);
    return map;
  }
  std::vector<T> row(static_cast<std::size_t>(ifm.map().w) * static_cast<std::size_t>(map.pixel_stride));
  const int step = op.upscale == Upscale::kZeros ? 2 : 1;
  for (int y = 0; y < up_h; y += step) {
    if (y % 2 == 0) ifm.read_row(y / 2, row.data(), map.pixel_stride);
    for (int x = 0; x < up_w; x += step)
      std::copy_n(row.data() + (x / 2) * map.pixel_stride, map.pixel_stride,
                  origin + y * row_stride + x * map.pixel_stride);
  }
  return map;
}
template Result<InputMap<std::int16_t>> load_input(const BlockOperation&, const FeatureMapView&, bool, int);
template Result<InputMap<std::int64_t>> load_input(const BlockOperation&, const FeatureMapView&, bool, int);

}  // namespace macaw::npu
