#include "workflow/compare/judge/misread_operations.hpp"

#include <algorithm>

#include "sim/datapath/output_rows.hpp"

namespace macaw::compare {
namespace {

bool same_place(const npu::FeatureMap& written, const npu::FeatureMap& read) {
  return written.region == read.region && written.base[0] == read.base[0] && written.stride_x == read.stride_x &&
         written.stride_y == read.stride_y && written.layout == read.layout && written.bits == read.bits &&
         (written.layout == npu::Layout::kNHWC || written.stride_c == read.stride_c);
}

bool same_extents(const npu::FeatureMap& a, const npu::FeatureMap& b) { return a.h == b.h && a.w == b.w && a.c == b.c; }

/// Whether a record reads a whole map that another wrote, but not as it was written.
bool reads_otherwise(const Record& writer, const Record& reader) {
  const auto& written = writer.operation.ofm;
  const auto otherwise = [&](const npu::FeatureMap& read, std::size_t i) {
    return reader.read[i].overlaps(writer.written) && same_extents(written, read) && !same_place(written, read);
  };
  return otherwise(reader.operation.ifm, 0) || (reader.operation.has_ifm2() && otherwise(reader.operation.ifm2, 1));
}

std::size_t elements(const npu::FeatureMap& map) {
  return static_cast<std::size_t>(map.h) * static_cast<std::size_t>(map.w) * static_cast<std::size_t>(map.c);
}

bool same_strides(const npu::FeatureMap& a, const npu::FeatureMap& b) {
  if (a.layout != b.layout) return false;
  return ((a.w == 1 && b.w == 1) || a.layout != npu::Layout::kNHWC || a.stride_x == b.stride_x) &&
         ((a.h == 1 && b.h == 1) || a.stride_y == b.stride_y) &&
         (a.layout == npu::Layout::kNHWC || a.stride_c == b.stride_c);
}

/// A pixel in its tile (u55_u65 3.1): the number of the tile, the row and column there.
struct TilePixel {
  std::size_t tile = 0;
  std::int64_t y = 0, x = 0;
};
TilePixel find_tile(const npu::FeatureMap& map, std::int64_t y, std::int64_t x) {
  if (map.storage == npu::Storage::kTile3x1) {
    if (y < map.height0) return {0, y, x};
    const std::int64_t second = y - map.height0;
    return second < map.height1 ? TilePixel{1, second, x} : TilePixel{2, second - map.height1, x};
  }
  const bool is_right = x >= map.width0;
  const std::int64_t height = is_right ? map.height1 : map.height0;
  const bool is_lower = y >= height;
  return {(is_right ? 1U : 0U) + (is_lower ? 2U : 0U), is_lower ? y - height : y, is_right ? x - map.width0 : x};
}

bool is_in_one_tile(const npu::FeatureMap& map) {
  return map.h <= map.height0 && (map.w <= map.width0 || map.storage == npu::Storage::kTile3x1);
}

/// Where an element lies behind the start of the first tile, by its number in NHWC order.
std::int64_t offset_of(const npu::FeatureMap& map, std::int64_t element) {
  constexpr std::int64_t kBrick = 16;
  const std::int64_t c = element % map.c, column = element / map.c % map.w, row = element / map.c / map.w;
  const auto [tile, y, x] = find_tile(map, row, column);
  const auto start = static_cast<std::int64_t>(map.base[tile] - map.base[0]) + y * map.stride_y;
  if (map.layout == npu::Layout::kNHWC) return start + x * map.stride_x + c * map.bytes();
  return start + c / kBrick * map.stride_c + (x * kBrick + c % kBrick) * map.bytes();
}

/// Maps of the same number of elements exactly; of a part of one, by the strides, which do not lead from one tile to
/// another.
bool same_order(const npu::FeatureMap& written, const npu::FeatureMap& read) {
  if (written.bits != read.bits) return false;
  const bool in_one_tile = is_in_one_tile(written) && is_in_one_tile(read);
  const auto count = elements(read);
  if (elements(written) != count) return count == 1 || (in_one_tile && same_strides(written, read));
  if (in_one_tile && same_extents(written, read) && same_strides(written, read)) return true;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i)
    if (offset_of(written, i) != offset_of(read, i)) return false;
  return true;
}

}  // namespace

bool reads_in_order(const Record& writer, const Record& reader) {
  const auto written = npu::stored_ofm(writer.operation);
  const auto in_order = [&](const npu::FeatureMap& read, std::size_t i) {
    return !reader.read[i].overlaps(writer.written) || same_order(written, read);
  };
  return in_order(reader.operation.ifm, 0) && (!reader.operation.has_ifm2() || in_order(reader.operation.ifm2, 1));
}

std::vector<std::size_t> find_misread_operations(const Alignment& alignment, const std::vector<Record>& records,
                                                 std::size_t reader, const Cone& cone) {
  const auto& read = alignment.sources(reader);
  std::set<std::size_t> suspects;
  bool own = false;
  for (const auto tensor : cone.frontier) {
    const auto writers = alignment.writers(tensor, reader);
    const bool missing = !read.contains(tensor);
    own |= missing;
    for (const auto w : writers)
      if (missing || reads_otherwise(records[w], records[reader])) suspects.insert(w);
  }
  // The data that it reads instead may have overwritten the expected data.
  if (own)
    for (const auto p : records[reader].producers)
      for (const auto tensor : alignment.written(p))
        if (!cone.frontier.contains(alignment.representative(tensor))) suspects.insert(p);
  if (suspects.empty() && !own) return {};
  // A record is right if one of its readers gets the expected result.
  std::erase_if(suspects, [&](std::size_t s) {
    for (std::size_t q = s + 1; q < records.size(); ++q)
      if (q != reader && alignment.explained(q) &&
          std::ranges::find(records[q].producers, s) != records[q].producers.end())
        return true;
    return false;
  });
  std::vector<std::size_t> all(suspects.begin(), suspects.end());
  all.push_back(reader);
  return all;
}

}  // namespace macaw::compare
