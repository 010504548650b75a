#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace macaw::npu {

/// A range of a memory of the artifact, in bytes.
struct MemoryRange {
  int memory = -1;
  std::uint64_t offset = 0, length = 0;
};

/// Kinds of problems in a stream that the NPU would not report, or that it faults on for a reason that deserves a name.
/// Rows in findings.def.
enum class FindingKind : std::uint8_t {
#define MACAW_FINDING(name, id, meaning) name,
#include <macaw/npu/findings.def>
#undef MACAW_FINDING
};

struct FindingRow {
  FindingKind kind;
  std::string_view id;       ///< "blockdep", as reports spell it
  std::string_view meaning;  ///< completes "the operation ..."
};
[[nodiscard]] std::span<const FindingRow> finding_kinds();
[[nodiscard]] std::string_view to_string(FindingKind kind);

/// One finding. Findings depend on the stream alone (program order, queue limits, waits and BLOCKDEP); every mode
/// reports the same ones, in program order, each once.
struct Finding {
  FindingKind kind{};
  std::size_t step = 0;             ///< index of the command stream in Artifact::steps
  std::uint32_t command_index = 0;  ///< position in its stream, counting register writes
  std::uint32_t byte_offset = 0;
  std::string command;  ///< disassembly of the command
  std::string source;   ///< source operator, if the debug database states it
  std::string message;  ///< description, one clause
  MemoryRange range;    ///< the bytes concerned; memory -1: none, or inside the NPU

  /// "blockdep: command 120 (0x0148, NPU_OP_CONV) of Conv2D 'conv1': message".
  [[nodiscard]] std::string to_string() const;
};

/// Called in program order while the stream runs; if the operation also faults, before the fault.
using FindingSink = std::function<void(const Finding&)>;

}  // namespace macaw::npu
