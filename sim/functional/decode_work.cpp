#include "sim/functional/decode_work.hpp"

#include <macaw/interruption.hpp>

#include "sim/datapath/layer_weights.hpp"
#include "sim/functional/machine.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

/// Goes on while there is something left of the bytes that may be read.
class StreamReading {
 public:
  explicit StreamReading(Machine& machine) : machine_(machine) {}

  void operation(const StreamOperation& operation, DecodeWork& work) {
    if (const auto* dma = std::get_if<DmaOperation>(&operation.action)) copy(*dma);
    else if (const auto* block = std::get_if<BlockOperation>(&operation.action)) read(operation.index, *block, work);
  }
  /// Whether the operands that a stream needs may be copied to their places.
  bool may_copy(std::span<const OperandCopy> copies) {
    return std::ranges::all_of(copies, [&](const OperandCopy& copy) { return spend(copy.to.size); });
  }
  [[nodiscard]] bool is_over() const { return left_ == 0; }

 private:
  bool spend(std::uint64_t bytes) {
    const bool enough = bytes <= left_;
    left_ = enough ? left_ - bytes : 0;
    return enough;
  }

  void copy(const DmaOperation& dma) {
    std::uint64_t bytes = dma.len;
    for (const std::uint64_t rows : {dma.size0, dma.size1}) {
      const auto count = std::max<std::uint64_t>(rows, 1);
      bytes = bytes > kMostDecodedBytes / count ? kMostDecodedBytes + 1 : bytes * count;
    }
    // A job that faults moves nothing here; a run reports it.
    if (spend(bytes)) static_cast<void>(machine_.execute(dma));
  }

  void read(std::size_t command, const BlockOperation& op, DecodeWork& work) {
    if (!op.has_weights() || op.fast_weights) return;
    std::uint64_t bytes = 0;
    for (const Stream& stream : op.weights) bytes += std::min(stream.length, kMostDecodedBytes);
    if (!spend(bytes)) return;
    auto sizes = weight_stream_sizes(op, machine_.accelerator(), machine_.memory_map());
    if (!sizes.empty()) work.insert_or_assign(command, std::move(sizes));
  }

  Machine& machine_;
  std::uint64_t left_ = kMostDecodedBytes;
};

}  // namespace

Result<std::vector<DecodeWork>> decode_work(const Artifact& artifact, const Accelerator& accelerator,
                                            const ParsedStreams& streams) {
  std::vector<DecodeWork> work(artifact.steps.size());
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  StreamReading reading(machine);
  for (std::size_t step = 0; step < artifact.steps.size() && !reading.is_over(); ++step) {
    const auto* stream = std::get_if<CommandStream>(&artifact.steps[step]);
    if (stream == nullptr) continue;
    if (!reading.may_copy(stream->copies)) return work;
    MACAW_CHECK(machine.start(*stream));
    for (const auto& operation : streams[step]->operations()) {
      MACAW_CHECK(Interruption::check());
      reading.operation(operation, work[step]);
      if (reading.is_over()) break;
    }
  }
  return work;
}

}  // namespace macaw::npu
