#pragma once
#include <macaw/npu/host_operators.hpp>

#include "reference/tflite/call.hpp"

namespace macaw::tflite {

/// Runs an operator that a compiled network leaves to the CPU, as npu::HostOperators::run() specifies.
[[nodiscard]] Result<npu::HostResult> call_on_host(const Definition& definition, const npu::HostOperator& op,
                                                   std::vector<std::optional<Tensor>>& inputs, std::int64_t max_work);

}  // namespace macaw::tflite
