#include "workflow/compare/match/step_matches.hpp"

#include <algorithm>
#include <utility>

namespace macaw::compare {
namespace {

constexpr std::ptrdiff_t kMostOthers = 2;  // operations of another type or size
constexpr std::size_t kLeastSteps = 10;    // fewer have such types and sizes by chance

bool has_size(const Record& record, const ReferenceStep& step) {
  return static_cast<std::size_t>(record.bytes) == size_of(step.value.dtype()) &&
         record.contents.size() == step.value.bytes().size();
}

/// How well the operations from `first` on fit: how many wrote what the steps give, less those of other types or sizes.
/// None if too many are others.
std::optional<std::ptrdiff_t> fit(std::size_t first, const std::vector<ReferenceStep>& steps,
                                  const std::vector<Record>& records) {
  std::ptrdiff_t right = 0, others = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& record = records[first + i];
    if (record.step != records[first].step) return std::nullopt;
    others += !has_size(record, steps[i]);
    right += is_right_step(record, steps[i]);
  }
  return others <= kMostOthers ? std::optional(right - others) : std::nullopt;
}

/// The best place of an operator's steps among the records that are free.
std::optional<std::pair<StepMatch, std::ptrdiff_t>> best_match(std::size_t op, const ReferenceOperator& reference,
                                                               const std::vector<Record>& records,
                                                               const std::set<std::size_t>& used) {
  std::optional<std::pair<StepMatch, std::ptrdiff_t>> best;
  for (std::size_t f = 0; f < reference.forms.size(); ++f) {
    const auto& steps = reference.forms[f];
    if (steps.size() < kLeastSteps) continue;
    for (std::size_t i = 0; i + steps.size() <= records.size(); ++i) {
      if (used.contains(i) || used.contains(i + steps.size() - 1)) continue;
      const auto right = fit(i, steps, records);
      if (right && (!best || *right > best->second)) best = {{op, f, i, steps.size()}, *right};
    }
  }
  return best;
}

}  // namespace

bool is_right_step(const Record& record, const ReferenceStep& step) {
  return has_size(record, step) && std::ranges::equal(record.contents, step.value.bytes());
}

std::optional<std::size_t> StepMatch::wrong(const Reference& reference, const std::vector<Record>& records) const {
  for (std::size_t i = 0; i < steps; ++i)
    if (!is_right_step(records[first + i], reference.operators[op].forms[form][i]) ||
        !unread(reference, records, i).empty())
      return i;
  return std::nullopt;
}

std::vector<std::size_t> StepMatch::unread(const Reference& reference, const std::vector<Record>& records,
                                           std::size_t step) const {
  std::vector<std::size_t> unread;
  const auto& reader = records[first + step];
  for (const auto from : reference.operators[op].forms[form][step].from) {
    const auto& writer = records[first + from];
    const bool read = std::ranges::find(reader.producers, first + from) != reader.producers.end();
    const bool is_all = writer.written.memory < 0 || std::ranges::any_of(reader.read, [&](const Span& span) {
                          return span.memory == writer.written.memory && span.first == writer.written.first &&
                                 span.last == writer.written.last;
                        });
    if (!read || !is_all) unread.push_back(first + from);
  }
  return unread;
}

std::vector<StepMatch> match_steps(const Reference& reference, const Alignment& alignment,
                                   const std::vector<Record>& records) {
  std::vector<StepMatch> matches;
  std::set<std::size_t> used;
  std::vector<std::size_t> open;
  for (std::size_t op = 0; op < reference.operators.size(); ++op)
    if (!reference.operators[op].forms.empty() && alignment.known(reference.operators[op].inputs[0]))
      open.push_back(op);
  // First those of which most is right, so that what is left for one that is all wrong is its own.
  for (const bool all : {false, true})
    for (const auto op : std::exchange(open, {})) {
      const auto best = best_match(op, reference.operators[op], records, used);
      if (!best || (!all && best->second * 2 < static_cast<std::ptrdiff_t>(best->first.steps))) {
        open.push_back(op);
        continue;
      }
      matches.push_back(best->first);
      for (std::size_t i = 0; i < best->first.steps; ++i) used.insert(best->first.first + i);
    }
  return matches;
}

}  // namespace macaw::compare
