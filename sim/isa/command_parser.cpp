#include "sim/isa/command_parser.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

using Action = decltype(StreamOperation::action);

Result<Action> action_of(const Command& command, const RegisterFile& registers, const Accelerator& accelerator) {
  const std::string_view name = command.row->name;
  const auto own = [&](std::string_view field) { return command.value(*find_field(*command.row, field)); };
  if (name == "NPU_OP_STOP") return StreamStop{command.param()};
  if (name == "NPU_OP_IRQ") return Irq{command.param()};
  if (name == "NPU_OP_DMA_WAIT") return Wait{Wait::Queue::kDma, unsigned(own("k"))};
  if (name == "NPU_OP_KERNEL_WAIT") return Wait{Wait::Queue::kKernel, unsigned(own("n"))};
  if (name == "NPU_OP_PMU_MASK") return PmuMask{own("enable") != 0};
  if (name == "NPU_OP_BRANCH") return Branch{own("branch_cond") != 0, std::uint32_t(own("branch_target"))};
  if (name == "NPU_OP_DMA_START") return dma_operation(registers, accelerator, command);
  return block_operation(registers, accelerator, command);
}

}  // namespace

Result<StreamOperation> CommandParser::next() {
  for (std::uint32_t commands = 1;; ++commands) {
    MACAW_ASSIGN(const Command command, decode_command(accelerator_->family, words_, index_, offset_));
    ++index_;
    offset_ += command.row->words() * 4;
    if (command.row->is_set()) {
      registers_.set(command);
      continue;
    }
    MACAW_ASSIGN(auto action, action_of(command, registers_, *accelerator_));
    return StreamOperation{command.index, command.offset, offset_, commands, std::move(action)};
  }
}

Result<void> CommandParser::branch(std::uint32_t target) {
  while (known_ < target) {
    MACAW_ASSIGN(const Command command,
                 decode_command(accelerator_->family, words_, std::uint32_t(starts_.size()), known_));
    starts_.push_back(command.offset);
    known_ += command.row->words() * 4;
  }
  const auto start = std::ranges::lower_bound(starts_, target);
  const bool begins = start == starts_.end() ? known_ == target : *start == target;
  if (!begins || target / 4 >= words_.size())
    return fail(ErrorCode::kHardwareFault, fmt::format("branch_fault: byte {} is not the start of a command", target),
                {.command_index = index_ ? index_ - 1 : 0, .byte_offset = offset_});
  index_ = static_cast<std::uint32_t>(start - starts_.begin());
  offset_ = target;
  return {};
}

Result<std::vector<StreamOperation>> parse_program(const Accelerator& accelerator,
                                                   std::span<const std::uint32_t> words) {
  std::vector<StreamOperation> steps;
  CommandParser parser(accelerator, words);
  do {
    MACAW_ASSIGN(auto step, parser.next());
    steps.push_back(std::move(step));
  } while (parser.offset() < words.size() * 4);
  return steps;
}

}  // namespace macaw::npu
