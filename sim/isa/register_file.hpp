#pragma once
#include <array>

#include "sim/isa/decoder.hpp"

namespace macaw::npu {

/// The sticky registers that NPU_SET_* commands write. All are 0 at the start of a job.
class RegisterFile {
 public:
  explicit RegisterFile(Family family) : family_(family) {}

  [[nodiscard]] Family family() const { return family_; }

  /// Stores a NPU_SET_* command; other commands change nothing.
  void set(const Command& command) { set(*command.row, {command.word0, command.payload}); }
  void set(const CommandRow& row, EncodedCommand words) {
    if (row.is_set()) slot(row) = words;
  }

  [[nodiscard]] std::uint64_t get(FieldRef ref) const {
    const EncodedCommand& words = slot(*ref.row);
    return extract(*ref.field, words.word0, words.payload);
  }

 private:
  static constexpr std::size_t kSlots = 256;  // cmd0 registers are opcodes 0x100..0x1ff, cmd1 registers 0..0xff

  [[nodiscard]] const EncodedCommand& slot(const CommandRow& row) const {
    return slots_[std::size_t(row.kind)][row.opcode % kSlots];
  }
  [[nodiscard]] EncodedCommand& slot(const CommandRow& row) {
    return slots_[std::size_t(row.kind)][row.opcode % kSlots];
  }

  Family family_;
  std::array<std::array<EncodedCommand, kSlots>, 2> slots_{};
};

}  // namespace macaw::npu
