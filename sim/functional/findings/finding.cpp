#include <macaw/npu/finding.hpp>

#include <fmt/format.h>

namespace macaw::npu {
namespace {

constexpr FindingRow kRows[] = {
#define MACAW_FINDING(name, id, meaning) {FindingKind::name, id, meaning},
#include <macaw/npu/findings.def>
#undef MACAW_FINDING
};

}  // namespace

std::span<const FindingRow> finding_kinds() { return kRows; }

std::string_view to_string(FindingKind kind) { return kRows[static_cast<std::size_t>(kind)].id; }

std::string Finding::to_string() const {
  std::string text =
      fmt::format("{}: command {} ({:#06x}, {})", npu::to_string(kind), command_index, byte_offset, command);
  if (!source.empty()) text += fmt::format(" of {}", source);
  return text + ": " + message;
}

}  // namespace macaw::npu
