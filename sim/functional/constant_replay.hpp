#pragma once
#include <macaw/error.hpp>
#include <macaw/npu/artifact.hpp>

#include "sim/functional/streams.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace macaw::npu {

class Machine;

/// Remaining work of a walk over an artifact, in bytes that are copied or read; bounds its time.
class WorkBudget {
 public:
  explicit WorkBudget(std::uint64_t amount) : left_(amount) {}

  /// Subtracts `amount`; if less is left, subtracts all of it and returns false.
  [[nodiscard]] bool spend(std::uint64_t amount);
  [[nodiscard]] bool is_used_up() const { return left_ == 0; }

 private:
  std::uint64_t left_;
};

/// Visits a block operation of a step once its constants are in place.
using ConstantVisitor = std::function<void(std::size_t step, std::uint32_t command, const BlockOperation& operation,
                                           const Machine& machine, WorkBudget& budget)>;

/// Walks the streams of an artifact and runs only their DMA jobs, so that constants that are copied before they are
/// used are found at their destination. Ends early when copies or the visitor use up the budget. Returns whether it
/// reached the end. Errors: those of Machine::create() and Machine::start(), and an interruption.
[[nodiscard]] Result<bool> replay_constants(const Artifact& artifact, const Accelerator& accelerator,
                                            const ParsedStreams& streams, WorkBudget budget,
                                            const ConstantVisitor& visit);

}  // namespace macaw::npu
