#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include "sim/timed/activity.hpp"
#include "sim/timed/command_processor.hpp"

#include <deque>

namespace macaw::npu::timed {

struct BreakdownOptions {
  std::size_t step = 0;    ///< index of the command stream in Artifact::steps
  Cycles offset;           ///< added to all times
  bool movements = false;  ///< fill OperationTiming::macs and movements
  Ticks start{};           ///< when the program starts
};

/// Appends the time that a simulated program spent on each of its operations, in program order, as soon as they finish.
class Breakdown {
 public:
  Breakdown(std::vector<OperationTiming>& operations, const CoreConfig& config, const BreakdownOptions& options)
      : operations_(operations), config_(config), options_(options), busy_until_(options.start) {}

  /// Must be called with each instruction of the program, in order, before it is issued.
  void add(const Instruction& instruction);
  /// Must be called when the program has stopped.
  void finish();

 private:
  using Run = std::variant<KernelRef, DmaRef>;
  void append(const Run& run);

  std::vector<OperationTiming>& operations_;
  const CoreConfig& config_;
  BreakdownOptions options_;
  std::deque<Run> under_way_;
  Ticks busy_until_;
};

/// Appends the activity of all units that recorded any. `offset` is added to all times.
void append_activity(std::vector<UnitActivity>& activity, const std::vector<Activity*>& units, std::size_t stream_step,
                     Cycles offset);

}  // namespace macaw::npu::timed
