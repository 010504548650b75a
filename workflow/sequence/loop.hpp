#pragma once
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "workflow/sequence/score.hpp"
#include "workflow/sequence/wiring.hpp"

namespace macaw::sequence {

/// The most steps of a sequence.
inline constexpr std::size_t kMostSteps = 10'000'000;

/// Tensors for inputs, by number.
using InputTensors = std::vector<std::pair<std::size_t, Tensor>>;

/// A step that has run.
struct Step {
  std::size_t index = 0;
  std::span<const Tensor> inputs, outputs;
};

/// The parts of a sequence that its caller does. An error of any of them ends it.
struct Hooks {
  /// Tensors of Wiring::given(), in that order, for a step.
  std::function<Result<std::vector<Tensor>>(std::size_t step)> given = {};
  /// Called after each step.
  std::function<Result<void>(const Step&)> done = {};
  /// Called after each step: whether it was the last.
  std::function<Result<bool>(const Step&)> stop = {};
  /// Called after each step but the last; its tensors take the place of what the next step would get.
  std::function<Result<InputTensors>(const Step&)> between = {};
};

struct Summary {
  std::size_t steps = 0;
  double seconds = 0;
  std::optional<npu::SequenceScore> score;
};

/// Runs at most `steps` steps, each on what was given, fed back and counted, with the engine's state kept. An error
/// names the step.
[[nodiscard]] Result<Summary> run(Engine& engine, const Wiring& wiring, std::size_t steps, const Hooks& hooks);

/// "256 steps in 1.20 s, 213.3 steps per second", and the score.
[[nodiscard]] std::string to_text(const Summary& summary);

}  // namespace macaw::sequence
