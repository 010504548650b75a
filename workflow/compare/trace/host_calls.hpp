#pragma once
#include <macaw/npu/artifact.hpp>
#include <macaw/npu/host_operators.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace macaw::compare {

/// Tensors that an operator on the CPU read and wrote in a run.
struct HostCall {
  std::size_t step = 0;
  std::vector<std::optional<Tensor>> inputs;  ///< contents before the run of the operator
  std::vector<Tensor> outputs;
  std::vector<std::vector<std::size_t>> writers;  ///< by input: the records that wrote its bytes
};

/// Forwards operators to another implementation and records what each one read and wrote.
class RecordingHost final : public npu::HostOperators {
 public:
  using Sink = std::function<void(HostCall call)>;

  RecordingHost(const npu::Artifact& artifact, const npu::HostOperators& host, Sink sink)
      : artifact_(artifact), host_(host), sink_(std::move(sink)) {}

  [[nodiscard]] Result<npu::HostResult> run(const npu::HostOperator& op, std::vector<std::optional<Tensor>>& inputs,
                                            std::int64_t max_work) const override;

 private:
  const npu::Artifact& artifact_;
  const npu::HostOperators& host_;
  Sink sink_;
};

}  // namespace macaw::compare
