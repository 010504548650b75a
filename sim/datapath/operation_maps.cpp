#include "sim/datapath/operation_maps.hpp"
#include "sim/datapath/bits.hpp"
#include "sim/datapath/output_rows.hpp"

#include <fmt/format.h>

namespace macaw::npu {
namespace {

/// Returns the same map, dense and at the start of its buffer.
FeatureMap dense(const FeatureMap& map) {
  FeatureMap out = map;
  out.storage = Storage::kTile2x2;
  out.layout = Layout::kNHWC;
  out.base = {};
  out.stride_c = map.bytes();
  out.stride_x = std::int64_t{map.c} * map.bytes();
  out.stride_y = map.w * out.stride_x;
  out.width0 = map.w;
  out.height0 = out.height1 = map.h;
  return out;
}

Result<ChainBuffer*> chain_buffer(const FeatureMap& map, const MemoryMap& memory, std::string_view what) {
  if (!memory.core) return fail(ErrorCode::kHardwareFault, fmt::format("{}: there are no chain buffers", what));
  const auto index = static_cast<std::size_t>(map.region);
  if (map.region < 0 || index >= memory.core->chain.size())
    return fail(ErrorCode::kHardwareFault, fmt::format("{}: chain buffer {} does not exist", what, map.region));
  return &memory.core->chain[index];
}

}  // namespace

Result<FeatureMapView> open_input(const FeatureMap& map, const MemoryMap& memory, std::string_view what) {
  if (map.h <= 0 || map.w <= 0) return FeatureMapView::empty(map);
  if (map.storage == Storage::kNone) return fail(ErrorCode::kHardwareFault, fmt::format("{}: has no storage", what));
  if (map.storage == Storage::kChained) {
    MACAW_ASSIGN(ChainBuffer* const buffer, chain_buffer(map, memory, what));
    if (buffer->h != map.h || buffer->w != map.w || buffer->c != map.c || buffer->bits != map.bits)
      return fail(
          ErrorCode::kHardwareFault,
          fmt::format("{}: chain buffer {} holds {}x{}x{} elements of {} bits, not {}x{}x{} of {}", what, map.region,
                      buffer->h, buffer->w, buffer->c, buffer->bits, map.h, map.w, map.c, map.bits));
    return FeatureMapView::create(dense(map), buffer->bytes, what);
  }
  MACAW_ASSIGN(const auto bytes, bound_region(memory, map.region, false, what));
  MACAW_ASSIGN(const auto view, FeatureMapView::create(map, bytes, what));
  announce(memory, map.region, view.range());
  return view;
}

Result<OutputMap> open_output(const BlockOperation& op, const MemoryMap& memory) {
  OutputMap out;
  if (op.ofm.storage == Storage::kNone || !op.acc_output) return out;
  FeatureMap map = stored_ofm(op);
  if (map.storage != Storage::kChained) {
    MACAW_ASSIGN(const auto bytes, bound_region(memory, map.region, true, "OFM"));
    MACAW_ASSIGN(out.view, FeatureMapView::create(map, bytes, "OFM"));
    announce(memory, map.region, out.view->range());
    return out;
  }
  MACAW_CHECK(chain_buffer(map, memory, "OFM"));
  map = dense(map);
  MACAW_ASSIGN(const ByteRange range, byte_range(map, "OFM"));
  out.chained = {map.h, map.w, map.c, map.bits, std::vector<std::uint8_t>(range.last)};
  MACAW_ASSIGN(out.view, FeatureMapView::create(map, out.chained.bytes, "OFM"));
  return out;
}

void commit(const BlockOperation& op, const MemoryMap& memory, OutputMap output) {
  if (output.view && op.ofm.storage == Storage::kChained)
    memory.core->chain[static_cast<std::size_t>(op.ofm.region)] = std::move(output.chained);
}

}  // namespace macaw::npu
