#pragma once
#include <macaw/npu/host_operators.hpp>

namespace macaw::tflite {

/// The interpreter's operators, for networks that leave some to the CPU.
[[nodiscard]] const npu::HostOperators& host_operators();

}  // namespace macaw::tflite
