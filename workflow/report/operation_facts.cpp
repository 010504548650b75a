#include "workflow/report/operation_facts.hpp"

#include <algorithm>

#include "sim/datapath/feature_map.hpp"
#include "sim/isa/command_parser.hpp"
#include "sim/walk/walk.hpp"

namespace macaw::report {
namespace {

std::uint64_t macs_of(const npu::BlockOperation& op) {
  if (op.kind != npu::OpKind::kConv && op.kind != npu::OpKind::kDepthwise) return 0;
  const auto per_element = static_cast<std::uint64_t>(op.kernel.taps_y()) *
                           static_cast<std::uint64_t>(op.kernel.taps_x()) *
                           static_cast<std::uint64_t>(op.kind == npu::OpKind::kConv ? op.ifm.c : 1);
  return static_cast<std::uint64_t>(op.ofm.h) * static_cast<std::uint64_t>(op.ofm.w) *
         static_cast<std::uint64_t>(op.ofm.c) * per_element;
}

class Facts {
 public:
  Facts(const npu::Accelerator& accelerator, std::uint32_t offset)
      : beat_bytes_(static_cast<std::uint64_t>(accelerator.beat_bytes)) {
    facts_.offset = offset;
  }

  void add_map(const char* purpose, const npu::FeatureMap& map, std::uint64_t beats, bool write = false) {
    if (map.storage == npu::Storage::kChained || map.storage == npu::Storage::kNone) return;
    const auto range = npu::byte_range(map, purpose);
    if (range) add(purpose, map.region, beats * beat_bytes_, range->first, range->last - 1, write);
  }

  template <std::size_t N>
  void add_streams(const char* purpose, const std::array<npu::Stream, N>& streams, std::uint64_t beats) {
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

  void add_transfers(const char* purpose, const npu::TransferList& transfers) {
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

  [[nodiscard]] OperationFacts take(std::uint64_t macs) {
    facts_.macs = macs;
    return std::move(facts_);
  }

 private:
  void add(const char* purpose, int region, std::uint64_t bytes, std::uint64_t first, std::uint64_t last, bool write) {
    facts_.movements.push_back({purpose, region, bytes, first, last, write});
  }

  std::uint64_t beat_bytes_;
  OperationFacts facts_;
};

Result<OperationFacts> facts_of(const npu::BlockOperation& op, const npu::Accelerator& accelerator,
                                std::uint32_t offset) {
  MACAW_ASSIGN(const auto totals, npu::walk_totals(op, accelerator));
  Facts facts(accelerator, offset);
  facts.add_map("ifm", op.ifm, totals.ifm_beats);
  if (op.has_ifm2()) facts.add_map("ifm2", op.ifm2, totals.ifm2_beats);
  if (op.has_weights()) facts.add_streams("weights", op.weights, totals.weight_beats);
  if (op.has_scales()) facts.add_streams("scales", op.scales, totals.scale_beats);
  if (op.acc_output) facts.add_map("ofm", op.ofm, totals.ofm_beats, true);
  return facts.take(macs_of(op));
}

OperationFacts facts_of(const npu::DmaOperation& op, const npu::Accelerator& accelerator, std::uint32_t offset) {
  const auto traffic = npu::dma_traffic(op);
  Facts facts(accelerator, offset);
  facts.add_transfers("source", traffic.reads);
  facts.add_transfers("indices", traffic.indices);
  facts.add_transfers("destination", traffic.writes);
  return facts.take(0);
}

}  // namespace

Result<FactsByCommand> operation_facts(const npu::Artifact& artifact, const npu::Accelerator& accelerator) {
  FactsByCommand all;
  for (std::size_t i = 0; i < artifact.steps.size(); ++i) {
    const auto* stream = std::get_if<npu::CommandStream>(&artifact.steps[i]);
    if (stream == nullptr) continue;
    MACAW_ASSIGN(const auto steps, npu::parse_program(accelerator, stream->words));
    for (const auto& step : steps) {
      if (const auto* op = std::get_if<npu::BlockOperation>(&step.action)) {
        MACAW_ASSIGN(all[std::pair(i, step.index)], facts_of(*op, accelerator, step.offset));
      } else if (const auto* dma = std::get_if<npu::DmaOperation>(&step.action)) {
        all[std::pair(i, step.index)] = facts_of(*dma, accelerator, step.offset);
      }
    }
  }
  return all;
}

}  // namespace macaw::report
