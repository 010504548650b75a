#include "workflow/compare/trace/host_calls.hpp"

#include <algorithm>

namespace macaw::compare {

Result<npu::HostResult> RecordingHost::run(const npu::HostOperator& op, std::vector<std::optional<Tensor>>& inputs,
                                           std::int64_t max_work) const {
  HostCall call;
  call.inputs = inputs;
  MACAW_ASSIGN(auto result, host_.run(op, inputs, max_work));
  const auto step =
      std::ranges::find_if(artifact_.steps, [&](const auto& s) { return std::get_if<npu::HostOperator>(&s) == &op; });
  call.step = static_cast<std::size_t>(step - artifact_.steps.begin());
  call.outputs = result.outputs;
  sink_(std::move(call));
  return result;
}

}  // namespace macaw::compare
