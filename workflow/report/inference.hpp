#pragma once
#include <macaw/npu/inference.hpp>

#include <string>
#include <string_view>

namespace macaw::report {

/// The kind of an npu::InferenceRow in words: "copy in" for "copy_in".
[[nodiscard]] std::string_view inference_kind_text(std::string_view kind);

/// The total and a line for each part; of a CPU that is not described, the lower bound alone.
[[nodiscard]] std::string inference_text(const npu::Inference& inference);

}  // namespace macaw::report
