#pragma once
#include <macaw/npu/host_operators.hpp>

#include <span>

namespace macaw::npu {

/// Runs an operator of the CPU: reads its operands from the memories of a network, calls `host`, and writes outputs and
/// changed state back. Returns the work done.
///
/// Errors name operator and index: those of HostOperators::run(), kUnsupported without `host`, and kInvalidFile for
/// operands that lie outside their memory.
[[nodiscard]] Result<std::int64_t> run_host_operator(const HostOperator& op, const HostOperators* host,
                                                     const std::vector<Memory>& memories,
                                                     const std::vector<std::span<std::uint8_t>>& contents,
                                                     std::int64_t max_work);

}  // namespace macaw::npu
