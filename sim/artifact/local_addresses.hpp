#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace macaw::npu {

/// An operand of an operator whose operands have addresses of their own, in one of its two memories.
struct LocalOperand {
  std::size_t tensor = 0;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> offset;  ///< absent if the file does not state it, or only that of another operator
};

/// Gives the operands without an address theirs: Vela packs a memory from 0 without gaps, in the order in which its
/// operators need the operands (ethosu/regor/compiler/scheduler.cpp, AllocateIOAddresses), so those that are not told
/// fill what the others leave. False if they do not fill it.
[[nodiscard]] bool complete_addresses(std::vector<LocalOperand>& operands);

/// Neighbours of which the second begins before the first ends. All have an address.
[[nodiscard]] std::vector<std::pair<LocalOperand, LocalOperand>> overlapping(std::vector<LocalOperand> operands);

}  // namespace macaw::npu
