#include <macaw/npu/weight_figures.hpp>

#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/weight_order.hpp"
#include "sim/functional/constant_replay.hpp"
#include "sim/functional/machine.hpp"
#include "sim/functional/streams.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Returns the non-empty weight streams of an operation; nullopt if one lies outside its region.
std::optional<std::vector<Bytes>> weight_streams(const BlockOperation& op, const MemoryMap& memory) {
  std::vector<Bytes> streams;
  for (const auto& stream : op.weights) {
    if (stream.length == 0) continue;
    const auto bytes = readable(memory, stream.region, stream.base, stream.length, "weight stream");
    if (!bytes) return std::nullopt;
    streams.push_back(*bytes);
  }
  return streams;
}

/// FNV-1a of 32 bits (datatracker.ietf.org/doc/html/draft-eastlake-fnv) of streams as one sequence of bytes.
std::uint32_t checksum(std::span<const Bytes> streams) {
  std::uint32_t hash = 2166136261U;
  for (const auto& stream : streams)
    for (const auto byte : stream) hash = (hash ^ byte) * 16777619U;
  return hash;
}

/// nullopt: the operation reads no constant weights, they cannot be decoded, or the budget is not sufficient.
std::optional<WeightFigures> figures_of(const BlockOperation& op, const Machine& machine, WorkBudget& budget) {
  if (!op.has_weights() || op.weights_from_ifm2) return std::nullopt;
  const auto geometry = weight_geometry(op, machine.accelerator());
  const auto streams = weight_streams(op, machine.memory_map());
  if (!geometry || geometry->weights() <= 0 || !streams || streams->empty()) return std::nullopt;
  std::uint64_t encoded = 0;
  for (const auto& stream : *streams) encoded += stream.size();
  if (!budget.spend(std::max(static_cast<std::uint64_t>(geometry->weights()), encoded))) return std::nullopt;
  const auto weights = load_weights(op, machine.accelerator(), machine.memory_map());
  if (!weights) return std::nullopt;
  const auto zeros = std::ranges::count(*weights, std::int16_t{0});
  return WeightFigures{encoded, weights->size(), static_cast<std::uint64_t>(zeros), checksum(*streams)};
}

}  // namespace

Result<WeightFiguresOf> weight_figures(const Artifact& artifact, const Accelerator& accelerator) {
  WeightFiguresOf figures;
  const auto read = [&](std::size_t step, std::uint32_t command, const BlockOperation& op, const Machine& machine,
                        WorkBudget& budget) {
    if (const auto found = figures_of(op, machine, budget)) figures[{step, command}] = *found;
  };
  MACAW_CHECK(
      replay_constants(artifact, accelerator, parse_streams(artifact, accelerator), WorkBudget(kMostWeights), read));
  return figures;
}

}  // namespace macaw::npu
