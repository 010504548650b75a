#include "sim/compile/passes.hpp"

#include "sim/datapath/bits.hpp"

namespace macaw::npu {
namespace {

/// Registers of a dense map in one tile (functional document 3.1). Type and zero point are set already.
void describe(const Network& network, const NetworkTensor& t, FeatureMap& map) {
  const auto& storage = network.storages[t.storage];
  const std::int64_t element = static_cast<std::int64_t>(size_of(t.dtype));
  map.region = kArenaRegion;
  map.layout = storage.layout;
  map.bits = t.bits();
  map.base = {storage.address, 0, 0, 0};
  if (map.layout == Layout::kNHCWB16) {
    map.stride_x = 16 * element;
    map.stride_c = 16 * element * t.w;
    map.stride_y = round_up(t.c, 16) * element * t.w;
  } else {
    map.stride_x = element * t.c;
    map.stride_c = element;
    map.stride_y = element * t.c * t.w;
  }
  map.width0 = map.w = t.w;
  map.height0 = map.height1 = map.h = t.h;
  map.c = t.c;
}

}  // namespace

void describe_feature_maps(Network& network) {
  for (auto& layer : network.layers) {
    describe(network, network.tensors[layer.ifm], layer.op.ifm);
    describe(network, network.tensors[layer.ofm], layer.op.ofm);
    if (layer.ifm2 >= 0) describe(network, network.tensors[layer.ifm2], layer.op.ifm2);
  }
}

}  // namespace macaw::npu
