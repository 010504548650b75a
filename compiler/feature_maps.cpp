#include "compiler/passes.hpp"

#include "sim/datapath/bits.hpp"
#include "sim/datapath/output_rows.hpp"

namespace macaw::npu {
namespace {

/// Sets the location and strides of a map (u55_u65 3.1); extents, type and zero point are set already, as are the
/// strides of a map that is not in one piece.
void describe(const Network& network, const Placement& operand, FeatureMap& map) {
  if (operand.storage < 0) return;
  const auto& s = network.storages[static_cast<std::size_t>(operand.storage)];
  map.region = s.region();
  map.width0 = map.w;
  map.height0 = map.height1 = map.h;
  if (!operand.plain) {
    map.layout = Layout::kNHWC;
    map.base = {s.address + static_cast<std::uint64_t>(operand.offset), 0, 0, 0};
    return;
  }
  const std::int64_t element = s.bits / 8;
  map.layout = s.layout;
  if (map.layout == Layout::kNHCWB16) {
    map.stride_x = 16 * element;
    map.stride_c = 16 * element * s.w;
    map.stride_y = round_up(s.c, 16) * element * s.w;
  } else {
    map.stride_x = element * s.c;
    map.stride_c = map.bytes();
    map.stride_y = element * s.c * s.w;
  }
  map.base = {s.address + static_cast<std::uint64_t>(operand.item * map.stride_y * s.h), 0, 0, 0};
}

}  // namespace

void describe_feature_maps(Network& network) {
  const auto address = [&](const Placement& operand) {
    return network.storages[static_cast<std::size_t>(operand.storage)].address +
           static_cast<std::uint64_t>(operand.offset);
  };
  const auto region = [&](const Placement& operand) {
    return network.storages[static_cast<std::size_t>(operand.storage)].region();
  };
  for (auto& step : network.steps) {
    if (auto* layer = std::get_if<Layer>(&step)) {
      describe(network, layer->ifm, layer->block.ifm);
      describe(network, layer->ifm2, layer->block.ifm2);
      auto& ofm = layer->block.ofm;
      describe(network, layer->ofm, ofm);
      const auto stored = stored_ofm(layer->block);
      ofm.width0 = stored.w;
      ofm.height0 = ofm.height1 = stored.h;
    } else {
      auto& job = std::get<DmaLayer>(step);
      job.dma.src = address(job.source);
      job.dma.dst = address(job.target);
      job.dma.src_region = region(job.source);
      job.dma.dst_region = region(job.target);
      if (job.index.storage < 0) continue;
      job.dma.idx = address(job.index);
      job.dma.idx_region = region(job.index);
    }
  }
}

}  // namespace macaw::npu
