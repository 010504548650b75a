#include "sim/datapath/dma.hpp"
#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr Int128 kMaxBytes = Int128{1} << 32;

/// Offset of transfer (i, j) from the first one, on each side. On U65 the source is contiguous and the destination
/// skips bytes between transfers and between planes.
struct Steps {
  int rows = 1, planes = 1;
  Int128 src_row = 0, src_plane = 0, dst_row = 0, dst_plane = 0;

  explicit Steps(const DmaOperation& op) {
    if (op.dimensions > 1) rows = static_cast<int>(op.size0);
    if (op.dimensions > 2) planes = static_cast<int>(op.size1);
    src_row = op.len;
    src_plane = src_row * rows;
    dst_row = Int128{op.len} + op.skip0;
    dst_plane = dst_row * rows + op.skip1;
  }
};

/// Lowest and highest byte that one side touches.
Result<ByteRange> side_range(std::uint64_t base, std::uint64_t len, Int128 row, Int128 plane, const Steps& s,
                             std::string_view what) {
  const Int128 y = row * (s.rows - 1), z = plane * (s.planes - 1);
  const Int128 low = Int128{base} + std::min<Int128>(y, 0) + std::min<Int128>(z, 0);
  const Int128 high = Int128{base} + std::max<Int128>(y, 0) + std::max<Int128>(z, 0) + len;
  if (low < 0 || high > INT64_MAX)
    return fail(ErrorCode::kHardwareFault, fmt::format("DMA {} reaches addresses outside its region", what));
  return ByteRange{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

Result<std::span<std::uint8_t>> side_bytes(const MemoryMap& memory, int region, bool internal, bool write,
                                           const ByteRange& range, std::string_view what) {
  std::span<std::uint8_t> bytes = memory.internal;
  if (!internal) {
    MACAW_ASSIGN(bytes, bound_region(memory, region, write, fmt::format("DMA {}", what)));
  }
  if (range.last > bytes.size())
    return fail(
        ErrorCode::kHardwareFault,
        fmt::format("DMA {}: bytes [{}, {}) are outside {} of {} bytes", what, range.first, range.last,
                    internal ? std::string("the internal memory") : fmt::format("region {}", region), bytes.size()));
  return bytes;
}

}  // namespace

Result<ByteRange> destination_range(const DmaOperation& op) {
  const Steps s(op);
  return side_range(op.dst, op.len, s.dst_row, s.dst_plane, s, "destination");
}

Result<void> execute(const DmaOperation& op, const MemoryMap& memory) {
  if (op.family == Family::kU85) return fail(ErrorCode::kUnsupported, "DMA of Ethos-U85");
  const Steps s(op);
  if (op.len == 0 || s.rows <= 0 || s.planes <= 0) return {};
  if (op.len > kMaxBytes || Int128{op.len} * s.rows * s.planes > kMaxBytes)
    return fail(ErrorCode::kUnsupported, "DMA of more than 2^32 bytes");
  MACAW_ASSIGN(const ByteRange from, side_range(op.src, op.len, s.src_row, s.src_plane, s, "source"));
  MACAW_ASSIGN(const ByteRange to, destination_range(op));
  MACAW_ASSIGN(const auto source, side_bytes(memory, op.src_region, op.src_internal, false, from, "source"));
  MACAW_ASSIGN(const auto target, side_bytes(memory, op.dst_region, op.dst_internal, true, to, "destination"));
  for (int plane = 0; plane < s.planes; ++plane) {
    for (int row = 0; row < s.rows; ++row) {
      const auto src = static_cast<std::int64_t>(s.src_row * row + s.src_plane * plane);
      const auto dst = static_cast<std::int64_t>(s.dst_row * row + s.dst_plane * plane);
      std::memmove(target.data() + op.dst + dst, source.data() + op.src + src, op.len);
    }
  }
  return {};
}

}  // namespace macaw::npu
