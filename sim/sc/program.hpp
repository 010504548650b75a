#pragma once
#include "sim/isa/command_parser.hpp"
#include "sim/sc/command_processor.hpp"

namespace macaw::npu::sc {

/// A command stream ready for the front end, and the operations in it for the report.
struct Program {
  std::vector<Instruction> instructions;
  std::uint64_t words = 0;
  std::uint64_t steps = 0;  ///< IFM blocks of all operations
};

/// Appends an operation; `words_end` as in Instruction. Fails as BlockWalk::create does.
[[nodiscard]] Result<void> append_kernel(Program& program, const CoreConfig& config, const BlockOperation& op,
                                         std::size_t command, std::uint64_t words_end);
void append_dma(Program& program, const DmaOperation& op, std::size_t command, std::uint64_t words_end);

/// kUnsupported for branches.
[[nodiscard]] Result<Program> build_program(std::span<const std::uint32_t> words, const CoreConfig& config);

}  // namespace macaw::npu::sc
