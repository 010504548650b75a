#pragma once
#include <macaw/npu/operation.hpp>

#include "sim/datapath/memory.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace macaw::npu {

/// Maximum number of elements of a feature map that an operation may access; a larger one is kUnsupported.
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 26;

/// Maps a feature map onto the bytes of its region or chain buffer (u55_u65 3.1). All addresses are checked once, in
/// create(); rows are then read and written without checks.
class FeatureMapView {
 public:
  /// `what` names the map in errors ("IFM"). The extents are map.h, map.w and map.c.
  [[nodiscard]] static Result<FeatureMapView> create(const FeatureMap& map, std::span<std::uint8_t> region,
                                                     std::string_view what);

  /// A map of which nothing is read because the kernel covers only padding.
  [[nodiscard]] static FeatureMapView empty(const FeatureMap& map) { return FeatureMapView(map, nullptr); }

  /// Elements of row y, [w][c], zero point subtracted; pixel x starts at out[x * pixel_stride].
  /// T is int16 (only where the values fit) or int64.
  template <class T>
  void read_row(int y, T* out, std::ptrdiff_t pixel_stride) const;

  /// The 8-bit elements of row y, numbered from the minimum of their type, without subtracting the zero point.
  void read_bytes(int y, std::uint8_t* out, std::ptrdiff_t pixel_stride) const;

  /// Stores elements [w][c] of the map's type into row y.
  void write_elements(int y, const std::uint8_t* elements) const;

  /// Stores the low bits of `values` [w][c] into row y; padding lanes of the last NHCWB16 brick keep their contents.
  void write_row(int y, const std::int64_t* values) const;

  [[nodiscard]] const FeatureMap& map() const { return map_; }
  /// The bytes of the region that the map covers, including gaps.
  [[nodiscard]] ByteRange range() const { return range_; }

 private:
  FeatureMapView(const FeatureMap& map, std::uint8_t* bytes) : map_(map), bytes_(bytes) {}

  /// Columns of one row that lie in one tile.
  struct Segment {
    std::uint8_t* start = nullptr;  ///< of column `first`, channel 0
    int first = 0, count = 0;
  };
  [[nodiscard]] std::array<Segment, 2> segments(int y) const;

  FeatureMap map_;
  std::uint8_t* bytes_;
  ByteRange range_;
};

/// The byte range of a map without a region to check it against.
[[nodiscard]] Result<ByteRange> byte_range(const FeatureMap& map, std::string_view what);

/// True if every value of the map, zero point subtracted, fits int16.
[[nodiscard]] bool fits_int16(const FeatureMap& map);

}  // namespace macaw::npu
