#pragma once
#include <vector>

#include <macaw/error.hpp>
#include <nlohmann/json_fwd.hpp>

namespace macaw::list {

/// One object per row, all with the same members in the same order, which are the column headers of a table.
using Rows = std::vector<nlohmann::ordered_json>;

/// NPU configurations (accelerators.def).
[[nodiscard]] Result<Rows> accelerators();
/// The command set: opcode and fields of each command.
[[nodiscard]] Result<Rows> commands();
/// Events of the performance counters, and which of them the timed model counts.
[[nodiscard]] Result<Rows> events();
/// Constants of the timing model (params.def).
[[nodiscard]] Result<Rows> params();
/// Built-in system configurations.
[[nodiscard]] Result<Rows> systems();

}  // namespace macaw::list
