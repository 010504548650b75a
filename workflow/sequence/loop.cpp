#include "workflow/sequence/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <macaw/interruption.hpp>

namespace macaw::sequence {
namespace {

class Loop {
 public:
  Loop(Engine& engine, const Wiring& wiring, const Hooks& hooks)
      : engine_(engine), wiring_(wiring), hooks_(hooks), given_(wiring.given()), next_(wiring.inputs.size()) {}

  Result<void> begin() {
    if (wiring_.scored) {
      MACAW_ASSIGN(score_, Score::create(wiring_));
    }
    for (const auto& feedback : wiring_.feedback) {
      if (wiring_.initial.contains(feedback.input)) continue;
      MACAW_ASSIGN(next_[feedback.input], zero_tensor(wiring_.inputs[feedback.input]));
    }
    for (const auto& [input, tensor] : wiring_.initial) next_[input] = tensor;
    return {};
  }

  /// Whether it was the last.
  Result<bool> step(std::size_t index, bool is_last) {
    MACAW_CHECK(Interruption::check());
    MACAW_ASSIGN(auto inputs, inputs_of(index));
    // The engine may take the tensors apart: what is looked at afterwards is a copy.
    const bool is_watched = hooks_.done || hooks_.stop || hooks_.between;
    const auto watched = is_watched ? inputs : std::vector<Tensor>();
    MACAW_ASSIGN(const auto outputs, engine_.step(std::move(inputs)));
    if (score_) MACAW_CHECK(score_->add(index, outputs[*wiring_.scored]));
    const Step step{index, watched, outputs};
    if (hooks_.done) MACAW_CHECK(hooks_.done(step));
    if (wiring_.stop) is_last |= sole_value(outputs[wiring_.stop->output]) == wiring_.stop->value;
    if (hooks_.stop) {
      MACAW_ASSIGN(const bool stops, hooks_.stop(step));
      is_last |= stops;
    }
    if (is_last) return true;
    for (const auto& feedback : wiring_.feedback) {
      MACAW_ASSIGN(next_[feedback.input], fed_back(wiring_, feedback, outputs[feedback.output]));
    }
    if (!hooks_.between) return false;
    MACAW_ASSIGN(replaced_, hooks_.between(step));
    return false;
  }

  [[nodiscard]] const std::optional<Score>& score() const { return score_; }

 private:
  Result<std::vector<Tensor>> inputs_of(std::size_t step) {
    auto inputs = next_;
    for (const auto& [input, tensor] : wiring_.constants) inputs[input] = tensor;
    for (const auto& count : wiring_.counts) {
      MACAW_ASSIGN(inputs[count.input],
                   filled(wiring_.inputs[count.input], count.first + static_cast<std::int64_t>(step)));
    }
    if (!given_.empty() && hooks_.given) {
      MACAW_ASSIGN(auto tensors, hooks_.given(step));
      for (std::size_t i = 0; i < given_.size(); ++i) inputs[given_[i]] = std::move(tensors[i]);
    }
    for (auto& [input, tensor] : replaced_) {
      inputs[input] = tensor;
      next_[input] = std::move(tensor);
    }
    replaced_.clear();
    return inputs;
  }

  Engine& engine_;
  const Wiring& wiring_;
  const Hooks& hooks_;
  const std::vector<std::size_t> given_;
  std::vector<Tensor> next_;  ///< by input; of those that are fed back or carried
  InputTensors replaced_;     ///< by Hooks::between
  std::optional<Score> score_;
};

}  // namespace

Result<Summary> run(Engine& engine, const Wiring& wiring, std::size_t steps, const Hooks& hooks) {
  if (steps == 0 || steps > kMostSteps)
    return fail(ErrorCode::kUsage, fmt::format("{} steps, expected 1 to {}", steps, kMostSteps));
  const bool needs_values = !wiring.feedback.empty() || wiring.stop || wiring.scored;
  if (needs_values && !engine.has_values())
    return fail(ErrorCode::kUsage, "a run of time alone has no outputs to feed back, score or stop at");
  Loop loop(engine, wiring, hooks);
  MACAW_CHECK(loop.begin());
  if (loop.score() && loop.score()->steps() < steps && !wiring.stop)
    return fail(ErrorCode::kMismatch, fmt::format("classes of {} steps for {} steps", loop.score()->steps(), steps),
                {.file = wiring.targets});
  Summary summary;
  const auto start = std::chrono::steady_clock::now();
  for (bool is_last = false; !is_last; ++summary.steps) {
    auto done = loop.step(summary.steps, summary.steps + 1 == steps);
    if (!done) {
      auto error = done.error();
      error.message = fmt::format("step {}: {}", summary.steps, error.message);
      return tl::unexpected(std::move(error));
    }
    is_last = *done;
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (loop.score()) {
    MACAW_ASSIGN(summary.score, loop.score()->result());
  }
  return summary;
}

std::string to_text(const Summary& summary) {
  auto text = fmt::format("{} step{} in {:.2f} s, {:.1f} steps per second on this machine\n", summary.steps,
                          summary.steps == 1 ? "" : "s", summary.seconds,
                          static_cast<double>(summary.steps) / std::max(summary.seconds, 1e-9));
  return summary.score ? text + npu::to_string(*summary.score) + "\n" : text;
}

}  // namespace macaw::sequence
