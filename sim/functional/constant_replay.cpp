#include "sim/functional/constant_replay.hpp"

#include <macaw/interruption.hpp>

#include "sim/functional/machine.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace macaw::npu {
namespace {

/// Saturates at the maximum of the type.
std::uint64_t copied_bytes(const DmaOperation& dma) {
  std::uint64_t bytes = dma.len;
  for (const std::uint64_t rows : {dma.size0, dma.size1}) {
    const auto count = std::max<std::uint64_t>(rows, 1);
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    bytes = bytes > kMost / count ? kMost : bytes * count;
  }
  return bytes;
}

/// Whether the budget allows copying the operands of a stream.
bool may_copy(const CommandStream& stream, WorkBudget& budget) {
  return std::ranges::all_of(stream.copies, [&](const OperandCopy& copy) { return budget.spend(copy.to.size); });
}

}  // namespace

bool WorkBudget::spend(std::uint64_t amount) {
  const bool enough = amount <= left_;
  left_ = enough ? left_ - amount : 0;
  return enough;
}

Result<bool> replay_constants(const Artifact& artifact, const Accelerator& accelerator, const ParsedStreams& streams,
                              WorkBudget budget, const ConstantVisitor& visit) {
  MACAW_ASSIGN(Machine machine, Machine::create(artifact, accelerator));
  for (std::size_t step = 0; step < artifact.steps.size(); ++step) {
    const auto* stream = std::get_if<CommandStream>(&artifact.steps[step]);
    if (stream == nullptr) continue;
    if (!may_copy(*stream, budget)) return false;
    MACAW_CHECK(machine.start(*stream));
    for (const auto& operation : streams[step]->operations()) {
      MACAW_CHECK(Interruption::check());
      if (const auto* dma = std::get_if<DmaOperation>(&operation.action)) {
        // A job that faults moves nothing here; a run reports the fault.
        if (budget.spend(copied_bytes(*dma))) static_cast<void>(machine.execute(*dma));
      } else if (const auto* block = std::get_if<BlockOperation>(&operation.action)) {
        visit(step, operation.index, *block, machine, budget);
      }
      if (budget.is_used_up()) return false;
    }
  }
  return true;
}

}  // namespace macaw::npu
