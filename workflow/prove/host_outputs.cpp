#include "workflow/prove/host_outputs.hpp"

#include <algorithm>

#include <macaw/tflite/host_operators.hpp>

namespace macaw::prove {
namespace {

/// Runs operators, and keeps what they write.
class Watch : public npu::HostOperators {
 public:
  Watch(const npu::Artifact& artifact, std::vector<HostOutput>& outputs) : artifact_(artifact), outputs_(outputs) {}

  Result<npu::HostResult> run(const npu::HostOperator& op, std::vector<std::optional<Tensor>>& inputs,
                              std::int64_t max_work) const override {
    MACAW_ASSIGN(auto result, tflite::host_operators().run(op, inputs, max_work));
    const auto step =
        std::ranges::find_if(artifact_.steps, [&](const auto& s) { return std::get_if<npu::HostOperator>(&s) == &op; });
    for (std::size_t i = 0; i < result.outputs.size(); ++i)
      outputs_.push_back({static_cast<std::size_t>(step - artifact_.steps.begin()), i, result.outputs[i]});
    return result;
  }

 private:
  const npu::Artifact& artifact_;
  std::vector<HostOutput>& outputs_;
};

}  // namespace

Result<std::vector<HostOutput>> host_outputs(const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                                             const std::vector<npu::NamedTensor>& inputs) {
  std::vector<HostOutput> outputs;
  const auto is_host = [](const auto& step) { return std::holds_alternative<npu::HostOperator>(step); };
  if (std::ranges::none_of(artifact.steps, is_host)) return outputs;
  const Watch watch(artifact, outputs);
  npu::FunctionalOptions options;
  options.host = &watch;
  MACAW_CHECK(npu::run_functional(artifact, accelerator, inputs, options));
  return outputs;
}

}  // namespace macaw::prove
