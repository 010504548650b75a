#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/artifact.hpp>

#include "sim/functional/streams.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace macaw::npu {

class Machine;

/// Work that a walk over an artifact may still do, so that its time is bounded: bytes that are copied or read.
class WorkBudget {
 public:
  explicit WorkBudget(std::uint64_t amount) : left_(amount) {}

  /// Takes `amount`; where less is left, nothing is left afterwards and the result is false.
  [[nodiscard]] bool spend(std::uint64_t amount);
  [[nodiscard]] bool is_used_up() const { return left_ == 0; }

 private:
  std::uint64_t left_;
};

/// Visits a block operation of a step when its constants are in place.
using ConstantVisitor = std::function<void(std::size_t step, std::uint32_t command, const BlockOperation& operation,
                                           const Machine& machine, WorkBudget& budget)>;

/// Walks the streams of an artifact, runs their DMA jobs and computes nothing else, so that constants that are copied
/// before they are used are found at the place that they are copied to. Ends early when the budget is used up, by
/// copies or by the visitor. Returns whether it reached the end. Errors: those of Machine::create() and
/// Machine::start(), and an interruption.
[[nodiscard]] Result<bool> replay_constants(const Artifact& artifact, const Accelerator& accelerator,
                                            const ParsedStreams& streams, WorkBudget budget,
                                            const ConstantVisitor& visit);

}  // namespace macaw::npu
