#pragma once
#include <cstdint>
#include <string_view>

#include "workflow/report/layers.hpp"

namespace macaw::report {

/// Cycles that a unit of OperationTiming::busy was busy; 0: the operation does not use it.
[[nodiscard]] std::uint64_t busy_cycles(const npu::OperationTiming& operation, std::string_view unit);

/// Cycles that units moved data over a side for the operations of a layer; units overlap, so that this can be more than
/// the layer takes.
[[nodiscard]] std::uint64_t access_cycles(const npu::RunRecord& run, const Layer& layer, int side);

}  // namespace macaw::report
