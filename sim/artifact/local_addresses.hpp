#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace macaw::npu {

/// An operand of an operator with local addressing, in one of its two memories.
struct LocalOperand {
  std::size_t tensor = 0;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> offset;  ///< absent if the file does not state it, or states only that of another
                                        ///< operator
};

/// Assigns addresses to the operands that have none: Vela packs a memory from 0 without gaps, in the order in which its
/// operators need the operands (ethosu/regor/compiler/scheduler.cpp, AllocateIOAddresses), so these operands fill the
/// gaps between the others. Returns false if the operands are not packed afterwards.
[[nodiscard]] bool complete_addresses(std::vector<LocalOperand>& operands);

/// Returns pairs of adjacent operands of which the second begins before the first ends. All operands must have an
/// address.
[[nodiscard]] std::vector<std::pair<LocalOperand, LocalOperand>> overlapping(std::vector<LocalOperand> operands);

}  // namespace macaw::npu
