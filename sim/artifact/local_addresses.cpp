#include "sim/artifact/local_addresses.hpp"

#include <algorithm>

namespace macaw::npu {
namespace {

constexpr std::uint64_t kOperandAlignment = 16;

std::uint64_t end_of(const LocalOperand& operand) {
  return (*operand.offset + operand.size + kOperandAlignment - 1) / kOperandAlignment * kOperandAlignment;
}

/// Returns the first address at which `size` bytes overlap none of the operands with an address.
std::uint64_t first_gap(const std::vector<LocalOperand>& operands, std::uint64_t size) {
  std::uint64_t at = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& other : operands)
      if (other.offset && at < end_of(other) && *other.offset < at + size) {
        at = end_of(other);
        moved = true;
      }
  }
  return at;
}

}  // namespace

bool complete_addresses(std::vector<LocalOperand>& operands) {
  if (std::ranges::all_of(operands, [](const auto& operand) { return operand.offset.has_value(); })) return true;
  for (auto& operand : operands)
    if (!operand.offset) operand.offset = first_gap(operands, operand.size);
  std::vector<LocalOperand> sorted = operands;
  std::ranges::sort(sorted, {}, &LocalOperand::offset);
  std::uint64_t end = 0;
  for (const auto& operand : sorted) {
    if (*operand.offset != end) return false;
    end = end_of(operand);
  }
  return true;
}

std::vector<std::pair<LocalOperand, LocalOperand>> overlapping(std::vector<LocalOperand> operands) {
  std::ranges::sort(operands, {}, &LocalOperand::offset);
  std::vector<std::pair<LocalOperand, LocalOperand>> found;
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (*operands[i].offset < *operands[i - 1].offset + operands[i - 1].size)
      found.emplace_back(operands[i - 1], operands[i]);
  return found;
}

}  // namespace macaw::npu
