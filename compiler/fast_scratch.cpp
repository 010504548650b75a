#include "compiler/lifetimes.hpp"
#include "compiler/passes.hpp"

#include <macaw/npu/artifact.hpp>

#include <functional>
#include <optional>

namespace macaw::npu {
namespace {

// Cost of an access to external memory, in bytes that the memory could move in that time: the latency of an operation's
// first access (250 to 500 cycles of some 7 bytes, configs/systems), and a beat for each piece that is not contiguous.
constexpr double kLatencyBytes = 2048, kBeatBytes = 16;

double cost(const Placement& operand, const FeatureMap& map) {
  if (operand.storage < 0) return 0;
  const double bytes = double(map.h) * map.w * map.c * map.bytes();
  double piece = bytes;
  if (!operand.plain) {
    const std::int64_t pixel = std::int64_t{map.c} * map.bytes(), row = pixel * map.w;
    if (map.stride_x != pixel && map.w > 1) piece = double(pixel);
    else if (map.stride_y != row) piece = double(row);
  }
  return kLatencyBytes + (piece > 0 ? bytes / piece * std::max(piece, kBeatBytes) : 0);
}

double cost(const DmaOperation& job) { return kLatencyBytes + double(job.len) * job.size0 * job.size1; }

/// A storage that may be placed in fast memory.
struct Candidate {
  NetworkStorage* storage;
  double cost = 0;  ///< of all accesses in the memory of the arena

  [[nodiscard]] double size() const { return double(std::max<std::uint64_t>(storage->size, kTensorAlignment)); }
  [[nodiscard]] double lifetime() const { return storage->last_layer - storage->first_layer + 1.0; }
};

/// The storages that only the layers access: those that a run needs before or afterwards stay in the arena.
std::vector<Candidate> find_candidates(Network& network, std::uint64_t limit) {
  std::vector<double> costs(network.storages.size());
  const auto add = [&](const Placement& operand, double cost) {
    if (operand.storage >= 0) costs[static_cast<std::size_t>(operand.storage)] += cost;
  };
  for (const auto& step : network.steps) {
    if (const auto* layer = std::get_if<Layer>(&step)) {
      const auto& op = layer->block;
      add(layer->ifm, cost(layer->ifm, op.ifm));
      add(layer->ifm2, cost(layer->ifm2, op.ifm2));
      add(layer->ofm, cost(layer->ofm, op.ofm));
    } else {
      const auto& job = std::get<DmaLayer>(step);
      for (const auto* operand : {&job.source, &job.target, &job.index}) add(*operand, cost(job.dma));
    }
  }
  std::vector<Candidate> candidates;
  const int end = static_cast<int>(network.steps.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    auto& s = network.storages[i];
    if (!s.constant && 0 <= s.first_layer && s.first_layer <= s.last_layer && s.last_layer < end && 0 < s.size &&
        s.size <= limit)
      candidates.push_back({&s, costs[i]});
  }
  return candidates;
}

/// Places the candidates that still fit, in their order.
class Placing {
 public:
  Placing(std::vector<Candidate> order, const Lifetimes& lifetimes, std::uint64_t limit) {
    Arena arena(lifetimes.count());
    for (auto& candidate : order) {
      const auto [first, last] = lifetimes.of(*candidate.storage);
      if (const auto address = arena.take(first, last, candidate.storage->size, kTensorAlignment, limit)) {
        saved_ += candidate.cost;
        size_ = std::max(size_, aligned(*address + candidate.storage->size));
        places_.emplace_back(candidate.storage, *address);
      }
    }
  }

  /// Whether more is gained, or as much in less memory.
  [[nodiscard]] bool is_better_than(const Placing& other) const {
    return saved_ > other.saved_ || (saved_ == other.saved_ && size_ < other.size_);
  }
  void apply(Network& network) const {
    for (const auto& [storage, address] : places_) {
      storage->fast = true;
      storage->address = address;
    }
    network.fast_size = size_;
  }

 private:
  double saved_ = 0;  ///< sum of costs, an integer
  std::uint64_t size_ = 0;
  std::vector<std::pair<NetworkStorage*, std::uint64_t>> places_;
};

}  // namespace

void place_in_fast_scratch(Network& network, std::uint64_t fast_memory) {
  const auto limit = std::min(fast_memory, kMaxMemory) / kTensorAlignment * kTensorAlignment;
  auto candidates = find_candidates(network, limit);
  if (candidates.empty()) return;
  std::vector<NetworkStorage*> storages;
  for (const auto& candidate : candidates) storages.push_back(candidate.storage);
  const Lifetimes lifetimes(storages);
  // None of these orders is the best for all networks.
  const std::function<double(const Candidate&)> kBenefits[] = {
      [](const Candidate& c) { return c.cost / (c.size() * c.lifetime()); },
      [](const Candidate& c) { return c.cost / c.size(); }, [](const Candidate& c) { return c.cost / c.lifetime(); },
      [](const Candidate& c) { return c.cost; }, [](const Candidate& c) { return c.size(); }};
  std::optional<Placing> best;
  for (const auto& benefit : kBenefits) {
    std::ranges::stable_sort(candidates, std::greater{}, benefit);
    const Placing placing(candidates, lifetimes, limit);
    if (!best || placing.is_better_than(*best)) best = placing;
  }
  best->apply(network);
}

}  // namespace macaw::npu
