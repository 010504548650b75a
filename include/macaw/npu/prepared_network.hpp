#pragma once
#include <macaw/npu/simulator.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace macaw::npu {

/// A compiled network that is run repeatedly without time. Streams are parsed and weights decoded once; every run
/// starts from the initial contents of the memories. Several threads may run it at the same time, each with memories of
/// its own.
class PreparedNetwork {
 public:
  /// Limit of cached decoded weights; the least recently used are evicted.
  static constexpr std::size_t kMaxWeightBytes = std::size_t{1} << 30;

  /// Errors are those of run_functional() that do not depend on inputs.
  [[nodiscard]] static Result<PreparedNetwork> create(Artifact artifact, const Accelerator& accelerator,
                                                      std::size_t max_weight_bytes = kMaxWeightBytes);

  /// Computes the bytes and errors of run_functional().
  [[nodiscard]] Result<FunctionalResult> run(std::span<const NamedTensor> inputs,
                                             const FunctionalOptions& options = {}) const;

  /// Contents of the variables before the first run, in the order of Artifact::variables.
  [[nodiscard]] Result<std::vector<Tensor>> initial_variables() const;
  /// Whether cycles can depend on values: branches, control flow on the CPU, indexed DMA jobs.
  [[nodiscard]] bool cycles_depend_on_values() const;

  [[nodiscard]] const Artifact& artifact() const;
  [[nodiscard]] const Accelerator& accelerator() const;

  PreparedNetwork(PreparedNetwork&&) noexcept;
  PreparedNetwork& operator=(PreparedNetwork&&) noexcept;
  ~PreparedNetwork();

 private:
  struct State;
  explicit PreparedNetwork(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace macaw::npu
