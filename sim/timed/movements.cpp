#include "sim/timed/movements.hpp"

#include <algorithm>

#include "sim/blocks/walk.hpp"
#include "sim/datapath/feature_map.hpp"

namespace macaw::npu::timed {
namespace {

std::uint64_t macs_of(const BlockOperation& op) {
  if (op.kind != OpKind::kConv && op.kind != OpKind::kDepthwise) return 0;
  const auto per_element = static_cast<std::uint64_t>(op.kernel.taps_y()) *
                           static_cast<std::uint64_t>(op.kernel.taps_x()) *
                           static_cast<std::uint64_t>(op.kind == OpKind::kConv ? op.ifm.c : 1);
  return static_cast<std::uint64_t>(op.ofm.h) * static_cast<std::uint64_t>(op.ofm.w) *
         static_cast<std::uint64_t>(op.ofm.c) * per_element;
}

class Movements {
 public:
  Movements(OperationTiming& timing, const Accelerator& accelerator)
      : beat_bytes_(static_cast<std::uint64_t>(accelerator.beat_bytes)), list_(timing.memory) {}

  void add_map(const char* purpose, const FeatureMap& map, std::uint64_t beats, bool write = false) {
    if (map.storage == Storage::kChained || map.storage == Storage::kNone) return;
    const auto range = byte_range(map, purpose);
    if (range) add(purpose, map.region, beats * beat_bytes_, range->first, range->last - 1, write);
  }

  template <std::size_t N>
  void add_streams(const char* purpose, const std::array<Stream, N>& streams, std::uint64_t beats) {
    std::uint64_t first = UINT64_MAX, last = 0;
    int region = 0;
    for (const auto& stream : streams) {
      if (stream.length == 0) continue;
      region = stream.region;
      first = std::min(first, stream.base);
      last = std::max(last, stream.base + stream.length - 1);
    }
    if (first <= last) add(purpose, region, beats * beat_bytes_, first, last, false);
  }

  void add_transfers(const char* purpose, const TransferList& transfers) {
    if (transfers.empty()) return;
    std::uint64_t first = UINT64_MAX, last = 0;
    for (const auto& t : transfers) {
      std::int64_t low = 0, high = 0;
      for (const auto& level : t.levels) {
        const auto reach = static_cast<std::int64_t>(level.count - 1) * level.stride;
        (reach < 0 ? low : high) += reach;
      }
      first = std::min(first, t.address + static_cast<std::uint64_t>(low));
      last = std::max(last, t.address + static_cast<std::uint64_t>(high) + t.run - 1);
    }
    add(purpose, transfers[0].region, transfers.beats(static_cast<unsigned>(beat_bytes_)) * beat_bytes_, first, last,
        transfers[0].write());
  }

 private:
  void add(const char* purpose, int region, std::uint64_t bytes, std::uint64_t first, std::uint64_t last, bool write) {
    list_.push_back({purpose, region, bytes, first, last, write});
  }

  std::uint64_t beat_bytes_;
  std::vector<Movement>& list_;
};

}  // namespace

void add_movements(OperationTiming& timing, const BlockOperation& op, const Accelerator& accelerator) {
  // Every operation of a program can be walked.
  if (const auto totals = walk_totals(op, accelerator)) add_movements(timing, op, *totals, accelerator);
}

void add_movements(OperationTiming& timing, const BlockOperation& op, const WalkTotals& totals,
                   const Accelerator& accelerator) {
  Movements list(timing, accelerator);
  list.add_map("ifm", op.ifm, totals.ifm_beats);
  if (op.has_ifm2()) list.add_map("ifm2", op.ifm2, totals.ifm2_beats);
  if (op.has_weights()) list.add_streams("weights", op.weights, totals.weight_beats);
  if (op.has_scales()) list.add_streams("scales", op.scales, totals.scale_beats);
  if (op.acc_output) list.add_map("ofm", op.ofm, totals.ofm_beats, true);
  if (op.ifm.storage == Storage::kChained) timing.chain_reads.push_back(op.ifm.region);
  if (op.has_ifm2() && op.ifm2.storage == Storage::kChained) timing.chain_reads.push_back(op.ifm2.region);
  if (op.acc_output && op.ofm.storage == Storage::kChained) timing.chain_write = op.ofm.region;
  timing.macs = macs_of(op);
  if (timing.macs != 0) timing.mac_bits = op.ifm.bits;
  add_details(timing, op, totals, accelerator);
}

void add_movements(OperationTiming& timing, const DmaTraffic& traffic, const Accelerator& accelerator) {
  Movements list(timing, accelerator);
  list.add_transfers("source", traffic.reads);
  list.add_transfers("indices", traffic.indices);
  list.add_transfers("destination", traffic.writes);
}

}  // namespace macaw::npu::timed
