#pragma once
#include <macaw/npu/timed_simulator.hpp>

#include <optional>

namespace macaw::npu {

/// Returns the interval of the measured cycles for an operation that adds `cycles` to a run on the accelerator's
/// default system with its timing adapter. nullopt if similar layers were not measured individually.
[[nodiscard]] std::optional<CyclesInterval> operation_interval(std::string_view accelerator, std::string_view name,
                                                               std::uint64_t cycles);

}  // namespace macaw::npu
