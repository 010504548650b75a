#include "sim/functional/findings/access.hpp"

#include "sim/blocks/box_transfers.hpp"
#include "sim/blocks/walk.hpp"
#include "sim/datapath/activation_table.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/datapath/output_rows.hpp"
#include "sim/functional/findings/byte_set.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr int kBrick = 16;

bool in_memory(const FeatureMap& map) { return map.storage == Storage::kTile2x2 || map.storage == Storage::kTile3x1; }

/// Collects the accesses of one operation and checks each against its region.
class Collector {
 public:
  explicit Collector(const RegionLayout& layout) : layout_(layout) {}

  void add(std::string_view what, bool write, int region, std::vector<Transfer> runs) {
    if (runs.empty()) return;
    const auto bounds = bounds_of(runs);
    if (!bounds)
      return problem(FindingKind::kWrapped, fmt::format("{} begins below region {}", what, region), region, {});
    add(what, write, region, *bounds, std::move(runs));
  }

  void add_map(std::string_view what, bool write, const FeatureMap& map) {
    if (map.h <= 0 || map.w <= 0 || map.c <= 0 || !in_memory(map)) return;
    const auto range = byte_range(map, what);
    if (!range && range.error().code == ErrorCode::kHardwareFault)
      return problem(FindingKind::kWrapped, fmt::format("{} begins below region {}", what, map.region), map.region, {});
    // Execution reports a map that is too large.
    if (range) add(what, write, map.region, *range, exact_runs(map, {0, map.h, 0, map.w, 0, map.c}));
  }

  void add_stream(std::string_view what, const Stream& stream) {
    if (stream.length == 0) return;
    add(what, false, stream.region, {contiguous(Channel::kReadWeights, stream.region, stream.base, stream.length)});
  }

  void add_internal(std::string_view what, bool write, std::vector<Transfer> runs) {
    const auto bounds = bounds_of(runs);
    if (!bounds || bounds->last > layout_.internal_bytes)
      return problem(FindingKind::kOutside,
                     fmt::format("{} lies outside the {} bytes of the NPU's own memory", what, layout_.internal_bytes),
                     -1, {});
    out_.list.push_back({what, write, kInternalMemory, 0, *bounds, std::move(runs)});
  }

  [[nodiscard]] const RegionBinding* bound(int region) const {
    const auto& binding = layout_.regions[static_cast<std::size_t>(region)];
    return binding.memory < 0 ? nullptr : &binding;
  }
  [[nodiscard]] Accesses take() { return std::move(out_); }

 private:
  void add(std::string_view what, bool write, int region, ByteRange bounds, std::vector<Transfer> runs) {
    const RegionBinding* binding = bound(region);
    if (!binding)
      return problem(FindingKind::kOutside, fmt::format("{} is in region {}, which is not bound", what, region), -1,
                     bounds);
    if (bounds.last > binding->size)
      return problem(FindingKind::kOutside,
                     fmt::format("{} takes bytes {} to {} of region {}, which has {}", what, bounds.first, bounds.last,
                                 region, binding->size),
                     region, bounds);
    const auto memory = static_cast<std::size_t>(binding->memory);
    if (write && layout_.memories[memory].read_only)
      return problem(
          FindingKind::kReadOnly,
          fmt::format("{} is in region {} with the constants of {}", what, region, layout_.memories[memory].name),
          region, bounds);
    out_.list.push_back({what,
                         write,
                         binding->memory,
                         binding->offset,
                         {binding->offset + bounds.first, binding->offset + bounds.last},
                         std::move(runs)});
  }

  void problem(FindingKind kind, std::string message, int region, ByteRange range) {
    const RegionBinding* binding = region < 0 ? nullptr : bound(region);
    MemoryRange place;
    if (binding) place = {binding->memory, binding->offset + range.first, range.last - range.first};
    out_.problems.push_back({kind, std::move(message), place});
  }

  const RegionLayout& layout_;
  Accesses out_;
};

/// Limits the rows to those that IDX_MAX allows and the region contains.
void take_indexed_rows(Transfer& transfer, std::uint32_t idx_max, const RegionBinding* region) {
  auto& level = transfer.levels[0];
  level.count = std::uint64_t{idx_max} + 1;
  if (level.stride <= 0) level.count = 1;
  if (!region || level.stride <= 0 || transfer.address > region->size) return;
  level.count = std::min(level.count, (region->size - transfer.address) / static_cast<std::uint64_t>(level.stride) + 1);
  if (level.count > 1 && transfer.run_address(level.count - 1) + transfer.run > region->size) --level.count;
}

std::vector<Transfer> to_vector(const TransferList& list) { return {list.begin(), list.end()}; }

}  // namespace

std::optional<ByteRange> bounds_of(std::span<const Transfer> transfers) {
  Int128 low = Int128{1} << 100, high = -low;
  for (const auto& transfer : transfers) {
    Int128 first = transfer.address, last = first + transfer.run;
    for (const auto& level : transfer.levels) {
      const Int128 span = Int128{level.stride} * (Int128{level.count} - 1);
      (span < 0 ? first : last) += span;
    }
    low = std::min(low, first);
    high = std::max(high, last);
  }
  if (transfers.empty() || low < 0 || high > INT64_MAX) return std::nullopt;
  return ByteRange{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

std::vector<Transfer> exact_runs(const FeatureMap& map, const Box& box) {
  std::vector<Transfer> out;
  const auto append = [&](const FeatureMap& part, const Box& elements) {
    TransferList list;
    append_box(list, Channel::kReadIfm, part, elements, {});
    out.insert(out.end(), list.begin(), list.end());
  };
  if (map.layout == Layout::kNHWC) {
    append(map, box);
    return out;
  }
  // A brick of which the box contains only some lanes is treated as a separate NHWC map.
  for (int c = box.c0; c < box.c1;) {
    const int brick = c / kBrick, end = std::min(box.c1, (brick + 1) * kBrick);
    const int whole_end = box.c1 / kBrick * kBrick;
    if (c % kBrick == 0 && whole_end > c) {
      append(map, {box.y0, box.y1, box.x0, box.x1, c, whole_end});
      c = whole_end;
      continue;
    }
    FeatureMap lanes = map;
    lanes.layout = Layout::kNHWC;
    lanes.stride_x = std::int64_t{kBrick} * map.bytes();
    for (auto& base : lanes.base) base += static_cast<std::uint64_t>(brick) * static_cast<std::uint64_t>(map.stride_c);
    append(lanes, {box.y0, box.y1, box.x0, box.x1, c % kBrick, end - brick * kBrick});
    c = end;
  }
  return out;
}

std::optional<MemoryRange> overlap(const Access& a, const Access& b) {
  if (a.memory != b.memory) return std::nullopt;
  const ByteRange window{std::max(a.bounds.first, b.bounds.first), std::min(a.bounds.last, b.bounds.last)};
  if (window.first >= window.last) return std::nullopt;
  if (a.contiguous() && b.contiguous()) return MemoryRange{a.memory, window.first, window.last - window.first};
  // Offsets of both accesses within the window; runs outside it are clipped.
  const auto clip = [&](ByteRange run) {
    run.first = std::clamp(run.first, window.first, window.last) - window.first;
    run.last = std::clamp(run.last, window.first, window.last) - window.first;
    return run;
  };
  ByteSet touched(window.last - window.first);
  a.for_each([&](ByteRange run) {
    touched.add(clip(run));
    return true;
  });
  std::optional<MemoryRange> found;
  b.for_each([&](ByteRange run) {
    run = clip(run);
    const std::uint64_t hit = touched.first_in(run);
    if (hit >= run.last) return true;
    const std::uint64_t end = touched.first_not_in({hit, run.last});
    found = MemoryRange{a.memory, window.first + hit, end - hit};
    return false;
  });
  return found;
}

Accesses accesses(const BlockOperation& op, const Accelerator& accelerator, const RegionLayout& layout) {
  static constexpr std::string_view kWeights[] = {"weight stream 0", "weight stream 1", "weight stream 2",
                                                  "weight stream 3"};
  static constexpr std::string_view kScales[] = {"scale stream 0", "scale stream 1"};
  Collector out(layout);
  if (reads_ifm(op)) out.add_map("IFM", false, op.ifm);
  if (reads_ifm2(op)) out.add_map("IFM2", false, op.ifm2);
  if (op.has_weights())
    for (std::size_t i = 0; i < (op.fast_weights ? 1 : op.weights.size()); ++i)
      out.add_stream(kWeights[i], op.weights[i]);
  if (op.has_scales())
    for (std::size_t i = 0; i < op.scales.size(); ++i) out.add_stream(kScales[i], op.scales[i]);
  if (const auto table = activation_table(op, accelerator))
    out.add_internal("activation table", false,
                     {contiguous(Channel::kReadMem2Mem, 0, table->first, table->last - table->first)});
  if (op.acc_output) out.add_map("OFM", true, stored_ofm(op));
  return out.take();
}

Accesses accesses(const DmaOperation& op, const RegionLayout& layout) {
  Collector out(layout);
  DmaOperation both = op;  // to include the traffic of internal sides
  both.src_internal = both.dst_internal = false;
  const DmaTraffic traffic = dma_traffic(both);
  auto reads = to_vector(traffic.reads), writes = to_vector(traffic.writes);
  const auto add = [&](std::string_view what, bool write, bool internal, bool indexed, int region,
                       std::vector<Transfer>& runs) {
    if (indexed)
      for (auto& run : runs) take_indexed_rows(run, op.idx_max, internal ? nullptr : out.bound(region));
    if (internal) return out.add_internal(what, write, std::move(runs));
    out.add(what, write, region, std::move(runs));
  };
  add(kDmaSource, false, op.src_internal, op.src_indexed, op.src_region, reads);
  if (op.src_indexed || op.dst_indexed) out.add("DMA indices", false, op.idx_region, to_vector(traffic.indices));
  add("DMA destination", true, op.dst_internal, op.dst_indexed, op.dst_region, writes);
  return out.take();
}

}  // namespace macaw::npu
