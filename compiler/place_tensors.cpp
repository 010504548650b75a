#include "compiler/passes.hpp"

#include <macaw/npu/artifact.hpp>

#include "compiler/lifetimes.hpp"
#include "sim/datapath/bits.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr int kBrickChannels = 16;

/// Calls fn(storage, step) for every storage that a step uses.
template <class Fn>
void for_each_use(const Network& network, Fn&& fn) {
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    const auto use = [&](int storage) {
      if (storage >= 0) fn(static_cast<std::size_t>(storage), static_cast<int>(i));
    };
    if (const auto* layer = std::get_if<Layer>(&network.steps[i])) {
      for (const auto* operand : {&layer->ifm, &layer->ifm2, &layer->ofm}) use(operand->storage);
      use(layer->table);
    } else {
      const auto& job = std::get<DmaLayer>(network.steps[i]);
      for (const auto* operand : {&job.source, &job.target, &job.index}) use(operand->storage);
    }
  }
}

void find_lifetimes(Network& network) {
  auto& storages = network.storages;
  const int end = static_cast<int>(network.steps.size());
  for (auto& s : storages) {
    s.first_layer = end;
    s.last_layer = -1;
  }
  const auto use = [&](std::size_t storage, int step) {
    auto& s = storages[storage];
    s.first_layer = std::min(s.first_layer, step);
    s.last_layer = std::max(s.last_layer, step);
  };
  const auto storage_of = [&](int t) {
    return static_cast<std::size_t>(network.tensors[static_cast<std::size_t>(t)].storage);
  };
  for (const int t : network.inputs) use(storage_of(t), -1);
  for_each_use(network, use);
  for (const int t : network.outputs) use(storage_of(t), end);
  for (const int t : network.variables)
    for (const int step : {-1, end}) use(storage_of(t), step);
}

/// Places the constants that some operation reads one after the other.
void place_constants(Network& network) {
  for (auto& s : network.storages) {
    if (!s.constant || s.last_layer < 0) continue;
    s.size = s.contents.size();
    s.address = network.constants.size();
    network.constants.insert(network.constants.end(), s.contents.begin(), s.contents.end());
    network.constants.resize(aligned(network.constants.size()));
  }
}

/// Largest first, each at the lowest address that is free during its lifetime.
Result<void> place_in_arena(Network& network) {
  std::vector<NetworkStorage*> order;
  for (auto& s : network.storages)
    if (s.region() == kArenaRegion && s.first_layer <= s.last_layer) order.push_back(&s);
  if (order.empty()) return {};
  std::ranges::stable_sort(order, std::greater{}, &NetworkStorage::size);
  const Lifetimes lifetimes(order);
  Arena arena(lifetimes.count());
  for (auto* s : order) {
    const auto [first, last] = lifetimes.of(*s);
    const auto address = arena.take(first, last, s->size, kTensorAlignment);
    if (!address)
      return fail(ErrorCode::kUnsupported,
                  fmt::format("finding room for {} feature maps in the arena takes more than {} steps", order.size(),
                              Arena::kMaxWork));
    s->address = *address;
    network.arena_size = std::max(network.arena_size, aligned(s->address + s->size));
    if (network.arena_size > kMaxMemory - network.fast_size)
      return fail(ErrorCode::kUnsupported, fmt::format("the feature maps need more than {} bytes", kMaxMemory));
  }
  return {};
}

}  // namespace

Result<void> place_tensors(Network& network, std::uint64_t fast_memory) {
  auto& storages = network.storages;
  for (const auto* list : {&network.inputs, &network.outputs, &network.variables})
    for (const int t : *list)
      storages[static_cast<std::size_t>(network.tensors[static_cast<std::size_t>(t)].storage)].flat = true;
  for (auto& s : storages) {
    s.layout = s.flat ? Layout::kNHWC : Layout::kNHCWB16;
    s.size =
        s.flat
            ? s.flat_size
            : static_cast<std::uint64_t>(std::int64_t{s.n} * s.h * s.w * round_up(s.c, kBrickChannels) * (s.bits / 8));
  }
  find_lifetimes(network);
  place_constants(network);
  place_in_fast_scratch(network, fast_memory);
  return place_in_arena(network);
}

}  // namespace macaw::npu
