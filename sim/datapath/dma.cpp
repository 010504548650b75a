#include "sim/datapath/dma.hpp"
#include "sim/datapath/generation.hpp"
#include "sim/datapath/work.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr Int128 kMaxBytes = Int128{1} << 32;
constexpr std::int64_t kMaxRows = std::int64_t{1} << 24;  // limit over all planes

struct Job {
  std::int64_t rows = 1, planes = 1;
  datapath::DmaSide source, target;

  explicit Job(const DmaOperation& op) {
    if (op.dimensions > 1) rows = op.size0;
    if (op.dimensions > 2) planes = op.size1;
    const datapath::DmaSides sides = datapath::generation(op.family).dma_sides(op);
    source = sides.source;
    target = sides.target;
  }
};

/// Lowest and highest byte that one side touches; rows are in [0, last_row] or among `indices`.
Result<ByteRange> side_range(const datapath::DmaSide& side, std::uint64_t len, const Job& job,
                             std::span<const std::int64_t> indices, std::string_view what) {
  Int128 first_row = 0, last_row = job.rows - 1;
  if (side.indexed) {
    const auto [low, high] = std::minmax_element(indices.begin(), indices.end());
    first_row = *low;
    last_row = *high;
  }
  const Int128 y0 = side.row * first_row, y1 = side.row * last_row, z = side.plane * (job.planes - 1);
  const Int128 low = Int128{side.base} + std::min(y0, y1) + std::min<Int128>(z, 0);
  const Int128 high = Int128{side.base} + std::max(y0, y1) + std::max<Int128>(z, 0) + len;
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
  if (!internal) announce(memory, region, range);
  return bytes;
}

/// The index array of a gather or scatter, one entry per row and plane.
Result<std::vector<std::int64_t>> read_indices(const DmaOperation& op, const Job& job, const MemoryMap& memory) {
  std::vector<std::int64_t> indices;
  indices.reserve(static_cast<std::size_t>(job.rows * job.planes));
  Int128 at = op.idx;
  for (std::int64_t plane = 0; plane < job.planes; ++plane, at += op.idx_skip1) {
    if (at < 0 || at > INT64_MAX) return fail(ErrorCode::kHardwareFault, "DMA indices lie outside their region");
    const auto length = static_cast<std::uint64_t>(job.rows) * sizeof(std::int32_t);
    MACAW_ASSIGN(const auto bytes,
                 readable(memory, op.idx_region, static_cast<std::uint64_t>(at), length, "DMA indices"));
    for (std::size_t row = 0; row < static_cast<std::size_t>(job.rows); ++row) {
      std::int32_t index = 0;
      std::memcpy(&index, bytes.data() + row * sizeof(index), sizeof(index));
      // The behaviour of the hardware for such an index is not public (u85 8.3).
      if (index < 0 || std::int64_t{index} > std::int64_t{op.idx_max})
        return fail(ErrorCode::kHardwareFault,
                    fmt::format("DMA index {} is {}, outside 0..{}", indices.size(), index, op.idx_max));
      indices.push_back(index);
    }
    at += length;
  }
  return indices;
}

bool moves_something(const DmaOperation& op) {
  const Job job(op);
  return op.len != 0 && job.rows > 0 && job.planes > 0;
}

/// A job whose addresses have all been checked.
struct Plan {
  Job job;
  std::vector<std::int64_t> indices;
  ByteRange to;
  std::span<std::uint8_t> source, target;
};

Result<Plan> plan(const DmaOperation& op, const MemoryMap& memory) {
  Plan copy{Job(op), {}, {}, {}, {}};
  const Job& job = copy.job;
  if (!moves_something(op)) return copy;
  if (Int128{job.rows} * job.planes > kMaxRows)
    return fail(ErrorCode::kUnsupported, fmt::format("DMA of more than {} rows", kMaxRows));
  if (op.len > kMaxBytes || Int128{op.len} * job.rows * job.planes > kMaxBytes)
    return fail(ErrorCode::kUnsupported, "DMA of more than 2^32 bytes");
  if (job.source.indexed || job.target.indexed) {
    MACAW_ASSIGN(copy.indices, read_indices(op, job, memory));
  }
  MACAW_ASSIGN(const ByteRange from, side_range(job.source, op.len, job, copy.indices, "source"));
  MACAW_ASSIGN(copy.to, side_range(job.target, op.len, job, copy.indices, "destination"));
  MACAW_ASSIGN(copy.source, side_bytes(memory, op.src_region, op.src_internal, false, from, "source"));
  MACAW_ASSIGN(copy.target, side_bytes(memory, op.dst_region, op.dst_internal, true, copy.to, "destination"));
  return copy;
}

}  // namespace

std::int64_t work(const DmaOperation& op) {
  const Job job(op);
  constexpr int kPerRow = 64;  // bytes that the overhead of a row is worth
  const Int128 total = Int128{job.rows} * job.planes * (Int128{op.len} + kPerRow) * Work::kElement;
  return static_cast<std::int64_t>(std::min<Int128>(total, INT64_MAX));
}

Result<void> check_addresses(const DmaOperation& op, const MemoryMap& memory) {
  if ((op.src_indexed || op.dst_indexed) && moves_something(op)) {
    MACAW_CHECK(bound_region(memory, op.idx_region, false, "DMA indices"));
    if (memory.regions[static_cast<std::size_t>(op.idx_region)].writable)
      return fail(ErrorCode::kUnsupported, "the indices are computed values, which a run without values does not have");
  }
  MACAW_CHECK(plan(op, memory));
  return {};
}

Result<std::span<std::uint8_t>> destination(const DmaOperation& op, const MemoryMap& memory) {
  if (!moves_something(op)) return std::span<std::uint8_t>();
  const Job job(op);
  if (Int128{job.rows} * job.planes > kMaxRows)
    return fail(ErrorCode::kUnsupported, fmt::format("DMA of more than {} rows", kMaxRows));
  std::vector<std::int64_t> indices;
  if (job.target.indexed) {
    MACAW_ASSIGN(indices, read_indices(op, job, memory));
  }
  MACAW_ASSIGN(const ByteRange to, side_range(job.target, op.len, job, indices, "destination"));
  MACAW_ASSIGN(const auto bytes, side_bytes(memory, op.dst_region, op.dst_internal, true, to, "destination"));
  return bytes.subspan(to.first, to.last - to.first);
}

Result<ByteRange> execute(const DmaOperation& op, const MemoryMap& memory) {
  if (!moves_something(op)) return ByteRange{};
  MACAW_ASSIGN(const Plan copy, plan(op, memory));
  const Job& job = copy.job;
  for (std::int64_t plane = 0; plane < job.planes; ++plane) {
    for (std::int64_t row = 0; row < job.rows; ++row) {
      const auto offset = [&](const datapath::DmaSide& side) {
        const std::int64_t y = side.indexed ? copy.indices[static_cast<std::size_t>(plane * job.rows + row)] : row;
        return static_cast<std::size_t>(side.base + side.row * y + side.plane * plane);
      };
      std::memmove(copy.target.data() + offset(job.target), copy.source.data() + offset(job.source), op.len);
    }
  }
  return copy.to;
}

}  // namespace macaw::npu
