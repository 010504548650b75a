#pragma once
#include <macaw/npu/prepared_network.hpp>
#include <macaw/tflite/network.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace macaw::accuracy {

/// Tensors of a network whose bytes on the NPU differ in a run.
struct NpuDifferences {
  std::vector<std::size_t> tensors;
  bool outputs_equal = true;
};

/// A compiled network beside its source. The first run finds out which operations write which tensor; every run
/// compares their bytes. Several threads may run it at the same time.
class NpuNetwork {
 public:
  /// `network` must outlive it; `inputs` are those of the first run, in the network's order. Errors are those of
  /// loading and running the artifact. `accelerator` is required if the artifact does not state one.
  [[nodiscard]] static Result<NpuNetwork> create(npu::Artifact artifact, const std::string& accelerator,
                                                 const tflite::Network& network, const std::vector<Tensor>& inputs);

  /// Runs `inputs` and compares with the network's results: `values` by tensor, null where unknown.
  [[nodiscard]] Result<NpuDifferences> run(const std::vector<Tensor>& inputs,
                                           std::span<const Tensor* const> values) const;

  /// Predicted cycles by tensor: those of the commands after the preceding tensor up to this one, each cycle once.
  /// Absent: computed inside the commands of another tensor, or not timed by the model.
  [[nodiscard]] const std::vector<std::optional<std::uint64_t>>& cycles() const;
  /// Tensors that the NPU or the CPU writes to memory; the others exist only inside an operation.
  [[nodiscard]] const std::vector<bool>& visible() const;
  [[nodiscard]] const std::string& file() const;
  [[nodiscard]] std::string_view accelerator_name() const;

  NpuNetwork(NpuNetwork&&) noexcept;
  NpuNetwork& operator=(NpuNetwork&&) noexcept;
  ~NpuNetwork();

 private:
  struct State;
  explicit NpuNetwork(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace macaw::accuracy
