#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <optional>

namespace macaw::npu {

/// Where the measured cycles of an operation would be that adds `cycles` to a run on the accelerator's default system
/// with its timing adapter. Absent where layers like it were not measured one by one.
[[nodiscard]] std::optional<CyclesInterval> operation_interval(std::string_view accelerator, std::string_view name,
                                                               std::uint64_t cycles);

}  // namespace macaw::npu
