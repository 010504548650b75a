#pragma once
#include <variant>
#include <vector>

#include "sim/isa/snapshot.hpp"

// From words to operations: the input of the machine, the block walk and the timed model.
namespace macaw::npu {

/// NPU_OP_KERNEL_WAIT and NPU_OP_DMA_WAIT: the parser continues when at most this many are outstanding.
struct Wait {
  enum class Queue : std::uint8_t { kKernel, kDma } queue = Queue::kKernel;
  unsigned outstanding = 0;
};
struct Irq {
  std::uint16_t mask = 0;
};
struct StreamStop {
  std::uint16_t mask = 0;
};
struct PmuMask {
  bool enable = false;
};
/// U85: jump to a byte offset in the stream, always or when the result flag is set.
struct Branch {
  bool conditional = false;
  std::uint32_t target = 0;
};

/// An NPU_OP_* with its values from the register file.
struct StreamOperation {
  std::uint32_t index = 0;     ///< number of the command in the stream, counting register writes
  std::uint32_t offset = 0;    ///< byte offset of the command
  std::uint32_t end = 0;       ///< byte offset of the next command; the value of QREAD when this one is consumed
  std::uint32_t commands = 0;  ///< commands read for it: itself and the preceding register writes
  std::variant<BlockOperation, DmaOperation, Wait, Irq, StreamStop, PmuMask, Branch> action;
};

/// Consumes a stream like the hardware: stores register writes and returns operations.
class CommandParser {
 public:
  CommandParser(const Accelerator& accelerator, std::span<const std::uint32_t> words)
      : accelerator_(&accelerator), words_(words), registers_(accelerator.family) {}

  /// Returns the next operation. Running past the end of the stream is a kHardwareFault, as is any error of
  /// `decode_command` or a snapshot. Must not be called after a StreamStop.
  [[nodiscard]] Result<StreamOperation> next();

  /// Continues at byte `target`. The starts of commands are determined once, up to the furthest target. A target that
  /// is not the start of a command is a kHardwareFault "branch_fault".
  [[nodiscard]] Result<void> branch(std::uint32_t target);

  [[nodiscard]] std::uint32_t offset() const { return offset_; }
  [[nodiscard]] const RegisterFile& registers() const { return registers_; }

 private:
  const Accelerator* accelerator_;
  std::span<const std::uint32_t> words_;
  RegisterFile registers_;
  std::uint32_t index_ = 0, offset_ = 0;
  std::vector<std::uint32_t> starts_;  ///< offsets of the first commands, as far as branches needed them
  std::uint64_t known_ = 0;            ///< size of these commands in bytes
};

/// All operations up to the last NPU_OP_STOP in the order of the stream; branches are listed, not followed.
[[nodiscard]] Result<std::vector<StreamOperation>> parse_program(const Accelerator& accelerator,
                                                                 std::span<const std::uint32_t> words);

}  // namespace macaw::npu
