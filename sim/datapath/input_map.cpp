#include "sim/datapath/input_map.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/conv_weights.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

template <class T>
void read(const FeatureMapView& ifm, int y, T* out, std::ptrdiff_t pixel_stride) {
  if constexpr (std::is_same_v<T, std::uint8_t>) ifm.read_bytes(y, out, pixel_stride);
  else ifm.read_row(y, out, pixel_stride);
}

/// One row of the upscaled IFM.
template <class T>
void read_upscaled(const BlockOperation& op, const FeatureMapView& ifm, int y, T* out, std::ptrdiff_t pixel_stride) {
  std::vector<T> row(static_cast<std::size_t>(ifm.map().w) * static_cast<std::size_t>(pixel_stride));
  const int step = op.upscale == Upscale::kZeros ? 2 : 1;
  read(ifm, y / 2, row.data(), pixel_stride);
  for (int x = 0; x < op.upscaled_w(); x += step)
    std::copy_n(row.data() + (x / 2) * pixel_stride, ifm.map().c, out + x * pixel_stride);
}

}  // namespace

template <class T>
Result<InputMap<T>> load_input(const BlockOperation& op, const FeatureMapView& ifm, bool padded, int channel_multiple,
                               Workers* workers) {
  const Kernel& k = op.kernel;
  const int top = padded ? k.pad_top : 0, left = padded ? k.pad_left : 0;
  // Below 1 if everything is padding.
  const int up_h = op.upscaled_h(), up_w = op.upscaled_w();
  InputMap<T> map;
  map.h = padded ? up_h + k.pad_top + k.pad_bottom : std::max(0, up_h);
  map.w = padded ? up_w + k.pad_left + k.pad_right : std::max(0, up_w);
  map.pixel_stride = static_cast<std::ptrdiff_t>(round_up(ifm.map().c, channel_multiple));
  const Int128 elements = Int128{map.h} * map.w * map.pixel_stride;
  if (elements > kMaxElements)
    return fail(ErrorCode::kUnsupported, fmt::format("IFM: {}x{}x{} with padding is more than {} elements", map.h,
                                                     map.w, ifm.map().c, kMaxElements));
  map.values = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(elements));
  T zero = 0;
  if constexpr (std::is_same_v<T, std::uint8_t>) zero = zero_byte(op.ifm);
  const std::ptrdiff_t row_size = std::ptrdiff_t{map.w} * map.pixel_stride;
  const bool upscaled = op.upscale != Upscale::kNone;
  const int filled_w = std::clamp(upscaled ? up_w : std::min(up_w, ifm.map().w), 0, map.w);
  const int filled_h = std::clamp(upscaled ? up_h : std::min(up_h, ifm.map().h), 0, map.h);
  // Elements without a pixel: gaps between channels or pixels, and the left and right margins of a row.
  const bool gaps = map.pixel_stride != ifm.map().c || op.upscale == Upscale::kZeros;
  const std::ptrdiff_t first = left * map.pixel_stride, last = first + filled_w * map.pixel_stride;
  share(workers, map.h, [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      T* const out = map.values.get() + row * row_size;
      const int y = row - top;
      const bool zeros = y < 0 || y >= filled_h || filled_w == 0 || (op.upscale == Upscale::kZeros && y % 2 != 0);
      if (zeros || gaps) std::fill_n(out, row_size, zero);
      if (zeros) continue;
      std::fill_n(out, first, zero);
      std::fill(out + last, out + row_size, zero);
      if (upscaled) read_upscaled(op, ifm, y, out + first, map.pixel_stride);
      else read(ifm, y, out + first, map.pixel_stride);
    }
  });
  return map;
}
template Result<InputMap<std::uint8_t>> load_input(const BlockOperation&, const FeatureMapView&, bool, int, Workers*);
template Result<InputMap<std::int16_t>> load_input(const BlockOperation&, const FeatureMapView&, bool, int, Workers*);
template Result<InputMap<std::int64_t>> load_input(const BlockOperation&, const FeatureMapView&, bool, int, Workers*);

}  // namespace macaw::npu
