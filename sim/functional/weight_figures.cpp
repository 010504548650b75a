#include <macaw/interruption.hpp>
#include <macaw/npu/weight_figures.hpp>

#include "sim/datapath/layer_weights.hpp"
#include "sim/datapath/weight_order.hpp"
#include "sim/functional/machine.hpp"
#include "sim/functional/streams.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace macaw::npu {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// The weight streams of an operation that are not empty; absent if one lies outside its region.
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

/// Goes on while there is something left of `budget`.
class Reading {
 public:
  Reading(Machine& machine, WeightFiguresOf& figures) : machine_(machine), figures_(figures) {}

  void operation(std::size_t step, const StreamOperation& operation) {
    if (const auto* dma = std::get_if<DmaOperation>(&operation.action)) copy(*dma);
    else if (const auto* block = std::get_if<BlockOperation>(&operation.action)) read(step, operation.index, *block);
  }
  /// Whether the operands that a stream needs may be copied to their places.
  bool may_copy(std::span<const OperandCopy> copies) {
    return std::ranges::all_of(copies, [&](const OperandCopy& copy) { return spend(copy.to.size); });
  }
  [[nodiscard]] bool is_over() const { return left_ == 0; }

 private:
  bool spend(std::uint64_t amount) {
    if (amount > left_) {
      left_ = 0;
      return false;
    }
    left_ -= amount;
    return true;
  }

  void copy(const DmaOperation& dma) {
    std::uint64_t bytes = dma.len;
    for (const std::uint64_t rows : {dma.size0, dma.size1}) {
      const auto count = std::max<std::uint64_t>(rows, 1);
      bytes = bytes > kMostWeights / count ? kMostWeights + 1 : bytes * count;
    }
    // A job that faults moves nothing here; a run reports it.
    if (spend(bytes)) static_cast<void>(machine_.execute(dma));
  }

  void read(std::size_t step, std::uint32_t command, const BlockOperation& op) {
    if (!op.has_weights() || op.weights_from_ifm2) return;
    const auto geometry = weight_geometry(op, machine_.accelerator());
    const auto streams = weight_streams(op, machine_.memory_map());
    if (!geometry || geometry->weights() <= 0 || !streams || streams->empty()) return;
    std::uint64_t encoded = 0;
    for (const auto& stream : *streams) encoded += stream.size();
    if (!spend(std::max(static_cast<std::uint64_t>(geometry->weights()), encoded))) return;
    const auto weights = load_weights(op, machine_.accelerator(), machine_.memory_map());
    if (!weights) return;
    const auto zeros = std::ranges::count(*weights, std::int16_t{0});
    figures_[{step, command}] = {encoded, weights->size(), static_cast<std::uint64_t>(zeros), checksum(*streams)};
  }

  Machine& machine_;
  WeightFiguresOf& figures_;
  std::uint64_t left_ = kMostWeights;
};

}  // namespace

Result<WeightFiguresOf> weight_figures(const Artifact& artifact, const Accelerator& accelerator) {
  WeightFiguresOf figures;
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  const auto streams = parse_streams(artifact, accelerator);
  Reading reading(machine, figures);
  for (std::size_t step = 0; step < artifact.steps.size(); ++step) {
    const auto* stream = std::get_if<CommandStream>(&artifact.steps[step]);
    if (stream == nullptr) continue;
    if (!reading.may_copy(stream->copies)) return figures;
    MACAW_CHECK(machine.start(*stream));
    for (const auto& operation : streams[step]->operations()) {
      MACAW_CHECK(Interruption::check());
      reading.operation(step, operation);
      if (reading.is_over()) return figures;
    }
  }
  return figures;
}

}  // namespace macaw::npu
