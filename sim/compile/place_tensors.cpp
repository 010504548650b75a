#include "sim/compile/passes.hpp"

#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <numeric>

namespace macaw::npu {
namespace {

constexpr int kBrick = 16;
constexpr std::uint64_t kAlignment = 16;
/// A U55 addresses 32 bits; an arena of that size is no network's.
constexpr std::uint64_t kMaxArena = std::uint64_t{1} << 31;

std::uint64_t bytes_of(const NetworkTensor& t, Layout layout) {
  const auto depth = layout == Layout::kNHCWB16 ? round_up(t.c, kBrick) : t.c;
  return static_cast<std::uint64_t>(std::int64_t{t.n} * t.h * t.w * depth) * size_of(t.dtype);
}

void find_lifetimes(Network& network) {
  auto& storages = network.storages;
  const int end = static_cast<int>(network.layers.size());
  for (auto& s : storages) {
    s.first_layer = end;
    s.last_layer = -1;
  }
  const auto use = [&](int tensor, int layer) {
    if (tensor < 0) return;
    auto& s = storages[network.tensors[tensor].storage];
    s.first_layer = std::min(s.first_layer, layer);
    s.last_layer = std::max(s.last_layer, layer);
  };
  for (const int t : network.inputs) use(t, -1);
  for (int i = 0; i < end; ++i)
    for (const int t : {network.layers[i].ifm, network.layers[i].ifm2, network.layers[i].ofm}) use(t, i);
  for (const int t : network.outputs) use(t, end);
}

}  // namespace

Result<void> place_tensors(Network& network) {
  auto& storages = network.storages;
  for (auto& s : storages) s.layout = s.flat ? Layout::kNHWC : Layout::kNHCWB16;
  for (const auto& t : network.tensors) {
    auto& s = storages[t.storage];
    s.size = std::max(s.size, bytes_of(t, s.layout));
  }
  find_lifetimes(network);

  std::vector<std::size_t> order(storages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return storages[i].size; });
  std::vector<std::size_t> placed;
  for (const auto i : order) {
    auto& s = storages[i];
    if (s.last_layer < s.first_layer) continue;
    // Neighbours in time, lowest first; the gap before each is tried.
    std::vector<std::size_t> live;
    for (const auto other : placed)
      if (storages[other].first_layer <= s.last_layer && s.first_layer <= storages[other].last_layer)
        live.push_back(other);
    std::ranges::sort(live, {}, [&](std::size_t k) { return storages[k].address; });
    s.address = 0;
    for (const auto other : live) {
      if (s.address + s.size <= storages[other].address) break;
      const auto end = storages[other].address + storages[other].size;
      s.address = std::max(s.address, (end + kAlignment - 1) / kAlignment * kAlignment);
    }
    placed.push_back(i);
    network.arena_size = std::max(network.arena_size, (s.address + s.size + kAlignment - 1) / kAlignment * kAlignment);
    if (network.arena_size > kMaxArena)
      return fail(ErrorCode::kUnsupported, "the feature maps need more than 2 GiB");
  }
  return {};
}

}  // namespace macaw::npu
