#pragma once
#include <macaw/npu/simulator.hpp>

#include "sim/datapath/core_state.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/isa/command_parser.hpp"

#include <memory>
#include <optional>

namespace macaw::npu {

/// The memories of a network and of the NPU, with the operations that act on them. Each call executes an operation
/// immediately and exactly once: the functional run calls in program order, the timed model as it walks time. The
/// artifact must outlive the machine.
class Machine {
 public:
  /// Allocates and fills the memories; constants stay in the artifact. kInvalidFile if a region or tensor lies outside
  /// its memory, kUnsupported if the memories are larger than kMaxMemory, kMismatch if the artifact was compiled for a
  /// different accelerator. Objects that `execution` points at must outlive the machine.
  [[nodiscard]] static Result<Machine> create(const Artifact& artifact, const Accelerator& accelerator,
                                              const Execution& execution = {});

  /// Resets every memory to its state after create().
  void reset(const Execution& execution);

  [[nodiscard]] const Artifact& artifact() const { return *artifact_; }
  [[nodiscard]] const Accelerator& accelerator() const { return *accelerator_; }

  /// Accepts any shape with the right number of elements of the right size.
  [[nodiscard]] Result<void> set_input(std::size_t index, const Tensor& tensor);
  /// Sets every input, by name or position; a missing one is an error.
  [[nodiscard]] Result<void> set_inputs(std::span<const NamedTensor> tensors);
  /// Sets some or all variables.
  [[nodiscard]] Result<void> set_variables(std::span<const NamedTensor> tensors);
  [[nodiscard]] Tensor output(std::size_t index) const;
  [[nodiscard]] Tensor variable(std::size_t index) const;

  void copy(std::span<const OperandCopy> copies);

  /// Binds the regions as the stream states, like a driver before it starts a job.
  [[nodiscard]] Result<void> start(const CommandStream& stream);

  /// Reports the faults of execute() that follow from registers and constants.
  [[nodiscard]] Result<void> check(const BlockOperation& operation) const;
  [[nodiscard]] Result<void> check(const DmaOperation& operation) const;

  /// Prepares the weights of an operation, if they are constants. Errors are those of execute().
  [[nodiscard]] Result<void> prepare(const BlockOperation& operation) const;

  [[nodiscard]] Result<Footprint> execute(const BlockOperation& operation);
  /// Returns the bytes of the destination region, or of the NPU's own memory, that were written.
  [[nodiscard]] Result<ByteRange> execute(const DmaOperation& operation);
  /// Runs an operator of the CPU with `host` and at most `max_work`. Returns the work done.
  [[nodiscard]] Result<std::int64_t> execute(const HostOperator& operation, const HostOperators* host,
                                             std::int64_t max_work);
  /// U85: the flag that a conditional branch tests, after the operations executed so far.
  [[nodiscard]] bool result_flag() const { return core_->result_flag; }

  /// Regions as bound by start().
  [[nodiscard]] const MemoryMap& memory_map() const { return map_; }
  /// Location in the artifact's memories of a byte range of a region.
  [[nodiscard]] MemoryRange locate(int region, const ByteRange& range) const;
  [[nodiscard]] std::span<const std::uint8_t> bytes(const MemoryRange& range) const;

 private:
  Machine(const Artifact& artifact, const Accelerator& accelerator, const Execution& execution)
      : artifact_(&artifact), accelerator_(&accelerator), execution_(execution), core_(std::make_unique<CoreState>()) {}

  /// A variable's value before the first run: an int8 tensor of TFLite starts at its zero point, any other at 0
  /// (tensorflow/tflite-micro, tensorflow/lite/micro/micro_interpreter_graph.cc, ResetVariableTensors).
  void reset(const TensorBinding& variable);
  void fill();
  [[nodiscard]] Result<void> write(const TensorBinding& binding, const Tensor& tensor);
  [[nodiscard]] Tensor read(const TensorBinding& binding) const;

  const Artifact* artifact_;
  const Accelerator* accelerator_;
  Execution execution_;
  std::vector<std::vector<std::uint8_t>> own_;     ///< contents of memories that are written; empty for the others
  std::vector<std::span<std::uint8_t>> memories_;  ///< contents of all memories
  std::vector<std::uint8_t> internal_;             ///< shared RAM, or LUT RAM on U85
  std::unique_ptr<CoreState> core_;                ///< map_ points at it
  MemoryMap map_;
  std::array<RegionBinding, 8> bindings_{};
};

}  // namespace macaw::npu
