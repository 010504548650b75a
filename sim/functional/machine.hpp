#pragma once
#include <macaw/npu/simulator.hpp>

#include "sim/datapath/core_state.hpp"
#include "sim/datapath/execute.hpp"
#include "sim/isa/command_parser.hpp"

#include <memory>
#include <optional>

namespace macaw::npu {

/// The memories of a network and the NPU's own, with the operations that act on them. Each operation is executed at
/// once and exactly one time per call: the functional run calls in program order, the timed model as it walks time.
/// The artifact must outlive the machine.
class Machine {
 public:
  /// Allocates and fills the memories; constants stay where the artifact has them. kInvalidFile if a region or tensor
  /// lies outside its memory, kUnsupported if the memories take more than kMaxMemory, kMismatch if the artifact was
  /// compiled for another accelerator. What `execution` points at must outlive the machine.
  [[nodiscard]] static Result<Machine> create(const Artifact& artifact, const Accelerator& accelerator,
                                              const Execution& execution = {});

  /// Every memory as create() leaves it.
  void reset(const Execution& execution);

  [[nodiscard]] const Artifact& artifact() const { return *artifact_; }
  [[nodiscard]] const Accelerator& accelerator() const { return *accelerator_; }

  /// Any shape with the right number of elements of the right size.
  [[nodiscard]] Result<void> set_input(std::size_t index, const Tensor& tensor);
  /// Every input, by name or position; a missing one is an error.
  [[nodiscard]] Result<void> set_inputs(std::span<const NamedTensor> tensors);
  /// Some or all variables.
  [[nodiscard]] Result<void> set_variables(std::span<const NamedTensor> tensors);
  [[nodiscard]] Tensor output(std::size_t index) const;
  [[nodiscard]] Tensor variable(std::size_t index) const;

  void copy(std::span<const OperandCopy> copies);

  /// Points the regions where the stream's bindings say, as a driver does before it starts a job.
  [[nodiscard]] Result<void> start(const CommandStream& stream);

  /// Faults of execute(), as far as that follows from registers and constants.
  [[nodiscard]] Result<void> check(const BlockOperation& operation) const;
  [[nodiscard]] Result<void> check(const DmaOperation& operation) const;

  /// Has the weights of an operation ready, if they are constants. Errors are those that execute() would give.
  [[nodiscard]] Result<void> prepare(const BlockOperation& operation) const;

  [[nodiscard]] Result<Footprint> execute(const BlockOperation& operation);
  /// The bytes of the destination region, or of the NPU's own memory, that were written.
  [[nodiscard]] Result<ByteRange> execute(const DmaOperation& operation);
  /// An operator of the CPU, computed by `host`, with at most this much work. Returns the work done.
  [[nodiscard]] Result<std::int64_t> execute(const HostOperator& operation, const HostOperators* host,
                                             std::int64_t max_work);
  /// U85: what a conditional branch looks at, as the operations so far leave it.
  [[nodiscard]] bool result_flag() const { return core_->result_flag; }

  /// Regions as start() bound them.
  [[nodiscard]] const MemoryMap& memory_map() const { return map_; }
  /// Place in the artifact's memories of a byte range of a region.
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
