#pragma once
#include <macaw/npu/inference.hpp>

#include <string>

namespace macaw::report {

/// The total and a line for each part; of a CPU that is not described, the lower bound alone.
[[nodiscard]] std::string inference_text(const npu::Inference& inference);

}  // namespace macaw::report
