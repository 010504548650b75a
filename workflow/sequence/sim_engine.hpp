#pragma once
#include <macaw/npu/run.hpp>

#include <functional>
#include <memory>
#include <optional>

#include "workflow/sequence/engine.hpp"

namespace macaw::sequence {

/// The options of a compiled network that is run step after step.
struct SimSetup {
  npu::RunMode mode = npu::RunMode::kTimed;
  npu::TimedOptions options = {};
  std::vector<std::string> events = {};  ///< as RunSpec::events
  /// Called for each step that was run with time, and for the first of a functional run.
  std::function<Result<void>(const npu::RunRecord&)> on_record = {};
};

/// A compiled network whose variables keep their contents. Cycles depend on values only where a stream branches, a
/// network leaves control flow to the CPU, or a DMA job reads or writes where indices say; where they do not, the first
/// step alone is run with time, and the others, which take as long, for their values.
class SimEngine : public Engine {
 public:
  /// Errors: those of PreparedNetwork::create().
  [[nodiscard]] static Result<std::unique_ptr<SimEngine>> create(npu::Artifact artifact,
                                                                 const npu::Accelerator& accelerator, SimSetup setup);

  [[nodiscard]] bool has_values() const override { return setup_.mode != npu::RunMode::kTiming; }
  [[nodiscard]] Result<std::vector<Tensor>> step(std::vector<Tensor> inputs) override;
  [[nodiscard]] Result<std::vector<npu::NamedTensor>> state() const override;
  [[nodiscard]] Result<void> set_state(const std::vector<npu::NamedTensor>& tensors) override;
  void reset() override { state_.clear(); }

  [[nodiscard]] const npu::Artifact& artifact() const { return network_.artifact(); }
  [[nodiscard]] const npu::Accelerator& accelerator() const { return network_.accelerator(); }
  /// The record of the last step that was run with time, or of the first of a functional run; null before it.
  [[nodiscard]] const npu::RunRecord* record() const { return record_ ? &*record_ : nullptr; }
  /// Cycles of each step so far; empty for functional runs.
  [[nodiscard]] const std::vector<std::uint64_t>& cycles() const { return cycles_; }

 private:
  SimEngine(npu::PreparedNetwork network, SimSetup setup);
  [[nodiscard]] Result<npu::FunctionalResult> run_with_record(std::span<const npu::NamedTensor> inputs);

  npu::PreparedNetwork network_;
  SimSetup setup_;
  std::vector<Tensor> state_;  ///< in the order of Artifact::variables; empty: initial contents
  std::optional<npu::RunRecord> record_;
  std::vector<std::uint64_t> cycles_;
};

}  // namespace macaw::sequence
