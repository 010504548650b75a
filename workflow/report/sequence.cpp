#include "workflow/report/sequence.hpp"

#include <fmt/format.h>

namespace macaw::report {

std::string sequence_text(const npu::Sequence& sequence) {
  auto text = fmt::format("sequence of {} steps\n", sequence.steps);
  if (const auto& cycles = sequence.cycles)
    text += fmt::format("predicted cycles per step: {} to {}, median {}, {:+.1f} with each step\n", cycles->min,
                        cycles->max, cycles->median, cycles->trend);
  if (sequence.steps_per_second) text += fmt::format("predicted {:.2f} steps per second\n", *sequence.steps_per_second);
  text += fmt::format("{} operators on the CPU in each step\n", sequence.host_operators);
  if (const auto& energy = sequence.energy)
    text += fmt::format("{:.3g} to {:.3g} J for each step\n", energy->low, energy->high);
  if (const auto& score = sequence.score)
    text += fmt::format("negative log-likelihood {:.4f}, perplexity {:.3f}, top-1 {} of {}\n",
                        score->negative_log_likelihood, score->perplexity, score->top1, score->classes);
  return text;
}

}  // namespace macaw::report
