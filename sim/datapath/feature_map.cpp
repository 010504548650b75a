#include "sim/datapath/feature_map.hpp"
#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

static_assert(std::endian::native == std::endian::little, "feature maps are copied as little-endian integers");

constexpr int kBrick = 16;

std::int64_t pixel_step(const FeatureMap& map) {
  return map.layout == Layout::kNHWC ? map.stride_x : std::int64_t{kBrick} * map.bytes();
}

/// Lowest and highest (exclusive) offset that `c` channels span, relative to their pixel.
void channel_span(const FeatureMap& map, std::int64_t& low, std::int64_t& high) {
  low = 0;
  if (map.layout == Layout::kNHWC) {
    high = std::int64_t{map.c} * map.bytes();
    return;
  }
  const int last_brick = (map.c - 1) / kBrick, in_last = map.c - last_brick * kBrick;
  high = std::int64_t{map.c < kBrick ? map.c : kBrick} * map.bytes();
  const std::int64_t at = last_brick * map.stride_c;
  low = std::min<std::int64_t>(low, at);
  high = std::max(high, at + std::int64_t{in_last} * map.bytes());
  if (last_brick > 1) high = std::max(high, (last_brick - 1) * map.stride_c + std::int64_t{kBrick} * map.bytes());
}

/// Calls fn(pointer to the channels [c0, c0+n), c0, n) for each contiguous run of a pixel's channels.
template <class Fn>
void for_channels(const FeatureMap& map, std::uint8_t* pixel, Fn&& fn) {
  if (map.layout == Layout::kNHWC) {
    fn(pixel, 0, map.c);
    return;
  }
  for (int c = 0; c < map.c; c += kBrick) {
    fn(pixel, c, std::min(kBrick, map.c - c));
    pixel += map.stride_c;
  }
}

template <class Fn>
void with_element_type(const FeatureMap& map, Fn&& fn) {
  switch (map.bits) {
    case 8: map.is_signed ? fn(std::int8_t{}) : fn(std::uint8_t{}); return;
    case 16: map.is_signed ? fn(std::int16_t{}) : fn(std::uint16_t{}); return;
    case 32: map.is_signed ? fn(std::int32_t{}) : fn(std::uint32_t{}); return;
    default: fn(std::int64_t{}); return;
  }
}

}  // namespace

Result<ByteRange> byte_range(const FeatureMap& map, std::string_view what) {
  if (map.storage != Storage::kTile2x2 && map.storage != Storage::kTile3x1)
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: has no place in memory", what));
  if (map.h <= 0 || map.w <= 0 || map.c <= 0)
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: extent {}x{}x{} is empty", what, map.h, map.w, map.c));
  if (Int128{map.h} * map.w * map.c > kMaxElements)
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: {}x{}x{} is more than {} elements", what, map.h, map.w, map.c, kMaxElements));
  std::int64_t channel_low = 0, channel_high = 0;
  channel_span(map, channel_low, channel_high);
  Int128 low = Int128{1} << 100, high = -low;
  const auto tile = [&](int index, int h, int w) {
    if (h <= 0 || w <= 0) return;
    const Int128 y = Int128{h - 1} * map.stride_y, x = Int128{w - 1} * pixel_step(map);
    const Int128 base = map.base[static_cast<std::size_t>(index)];
    low = std::min(low, base + std::min<Int128>(y, 0) + std::min<Int128>(x, 0) + channel_low);
    high = std::max(high, base + std::max<Int128>(y, 0) + std::max<Int128>(x, 0) + channel_high);
  };
  if (map.storage == Storage::kTile3x1) {
    tile(0, std::min(map.h, map.height0), map.w);
    tile(1, std::min(map.h - map.height0, map.height1), map.w);
    tile(2, map.h - map.height0 - map.height1, map.w);
  } else {
    const int left = std::min(map.w, map.width0);
    tile(0, std::min(map.h, map.height0), left);
    tile(2, map.h - map.height0, left);
    tile(1, std::min(map.h, map.height1), map.w - left);
    tile(3, map.h - map.height1, map.w - left);
  }
  if (low < 0 || high > Int128{INT64_MAX})
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: reaches addresses below its region", what));
  return ByteRange{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

bool fits_int16(const FeatureMap& map) {
  if (map.bits > 16) return false;
  const IntRange range = int_range(map.bits, map.is_signed);
  return range.min - map.zero_point >= INT16_MIN && range.max - map.zero_point <= INT16_MAX;
}

Result<FeatureMapView> FeatureMapView::create(const FeatureMap& map, std::span<std::uint8_t> region,
                                              std::string_view what) {
  MACAW_ASSIGN(const ByteRange range, byte_range(map, what));
  if (range.last > region.size())
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: bytes [{}, {}) are outside region {} of {} bytes", what,
                                                       range.first, range.last, map.region, region.size()));
  FeatureMapView view(map, region.data());
  view.range_ = range;
  return view;
}

std::array<FeatureMapView::Segment, 2> FeatureMapView::segments(int y) const {
  if (map_.storage == Storage::kTile3x1) {
    // Three tiles above each other. No public stream has them; the register description only names the form.
    const int tile = y < map_.height0 ? 0 : y < map_.height0 + map_.height1 ? 1 : 2;
    const int first = tile == 0 ? 0 : tile == 1 ? map_.height0 : map_.height0 + map_.height1;
    return {{{bytes_ + map_.base[static_cast<std::size_t>(tile)] + (y - first) * map_.stride_y, 0, map_.w}, {}}};
  }
  const int left = std::min(map_.w, map_.width0);
  const auto start = [&](int tile, int limit) {
    const bool lower = y >= limit;
    const std::size_t index = static_cast<std::size_t>(tile + (lower ? 2 : 0));
    return bytes_ + map_.base[index] + (y - (lower ? limit : 0)) * map_.stride_y;
  };
  std::array<Segment, 2> out{};
  out[0] = {left > 0 ? start(0, map_.height0) : nullptr, 0, left};
  out[1] = {map_.w > left ? start(1, map_.height1) : nullptr, left, map_.w - left};
  return out;
}

template <class T>
void FeatureMapView::read_row(int y, T* out, std::ptrdiff_t pixel_stride) const {
  const std::int64_t step = pixel_step(map_);
  with_element_type(map_, [&](auto tag) {
    using E = decltype(tag);
    using Wide = std::conditional_t<(sizeof(E) < 4 && sizeof(T) < 8), std::int32_t, std::int64_t>;
    const auto zero_point = static_cast<Wide>(map_.zero_point);
    for (const Segment& segment : segments(y)) {
      std::uint8_t* pixel = segment.start;
      T* row = out + segment.first * pixel_stride;
      for (int x = 0; x < segment.count; ++x, pixel += step, row += pixel_stride) {
        for_channels(map_, pixel, [&](const std::uint8_t* source, int c, int count) {
          for (int i = 0; i < count; ++i) {
            E value;
            std::memcpy(&value, source + static_cast<std::size_t>(i) * sizeof(E), sizeof(E));
            row[c + i] = static_cast<T>(static_cast<Wide>(value) - zero_point);
          }
        });
      }
    }
  });
}
template void FeatureMapView::read_row<std::int16_t>(int, std::int16_t*, std::ptrdiff_t) const;
template void FeatureMapView::read_row<std::int64_t>(int, std::int64_t*, std::ptrdiff_t) const;

void FeatureMapView::read_bytes(int y, std::uint8_t* out, std::ptrdiff_t pixel_stride) const {
  const std::int64_t step = pixel_step(map_);
  const auto flip = static_cast<std::uint8_t>(map_.is_signed ? 0x80 : 0);
  const auto copy = [flip](const std::uint8_t* source, std::uint8_t* target, std::ptrdiff_t count) {
    for (std::ptrdiff_t i = 0; i < count; ++i) target[i] = source[i] ^ flip;
  };
  // A brick as two words, all of whose bytes are flipped.
  const auto copy_brick = [words = flip * (~std::uint64_t{0} / 255)](const std::uint8_t* source, std::uint8_t* target) {
    std::array<std::uint64_t, kBrick / 8> brick;
    std::memcpy(brick.data(), source, sizeof brick);
    for (std::uint64_t& word : brick) word ^= words;
    std::memcpy(target, brick.data(), sizeof brick);
  };
  for (const Segment& segment : segments(y)) {
    std::uint8_t* pixel = segment.start;
    std::uint8_t* row = out + segment.first * pixel_stride;
    if (map_.layout == Layout::kNHWC && step == map_.c && pixel_stride == map_.c) {
      copy(pixel, row, std::ptrdiff_t{segment.count} * map_.c);
      continue;
    }
    for (int x = 0; x < segment.count; ++x, pixel += step, row += pixel_stride)
      for_channels(map_, pixel, [&](const std::uint8_t* source, int c, int count) {
        if (count == kBrick) copy_brick(source, row + c);
        else copy(source, row + c, count);
      });
  }
}

void FeatureMapView::write_elements(int y, const std::uint8_t* elements) const {
  const std::int64_t step = pixel_step(map_);
  const auto size = static_cast<std::size_t>(map_.bytes());
  const std::size_t row_size = static_cast<std::size_t>(map_.c) * size;
  for (const Segment& segment : segments(y)) {
    std::uint8_t* pixel = segment.start;
    const std::uint8_t* row = elements + static_cast<std::size_t>(segment.first) * row_size;
    if (segment.count > 0 && map_.layout == Layout::kNHWC && step == static_cast<std::int64_t>(row_size)) {
      std::memcpy(pixel, row, static_cast<std::size_t>(segment.count) * row_size);
      continue;
    }
    for (int x = 0; x < segment.count; ++x, pixel += step, row += row_size)
      for_channels(map_, pixel, [&](std::uint8_t* target, int c, int count) {
        const std::uint8_t* source = row + static_cast<std::size_t>(c) * size;
        if (count == kBrick && size == 1) std::memcpy(target, source, kBrick);
        else std::memcpy(target, source, static_cast<std::size_t>(count) * size);
      });
  }
}

void FeatureMapView::write_row(int y, const std::int64_t* values) const {
  const std::int64_t step = pixel_step(map_);
  with_element_type(map_, [&](auto tag) {
    using E = decltype(tag);
    for (const Segment& segment : segments(y)) {
      std::uint8_t* pixel = segment.start;
      const std::int64_t* row = values + std::int64_t{segment.first} * map_.c;
      for (int x = 0; x < segment.count; ++x, pixel += step, row += map_.c) {
        for_channels(map_, pixel, [&](std::uint8_t* target, int c, int count) {
          for (int i = 0; i < count; ++i) {
            const E value = static_cast<E>(row[c + i]);
            std::memcpy(target + static_cast<std::size_t>(i) * sizeof(E), &value, sizeof(E));
          }
        });
      }
    }
  });
}

}  // namespace macaw::npu
