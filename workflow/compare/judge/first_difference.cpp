#include "workflow/compare/judge/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "workflow/compare/expansion.hpp"
#include "workflow/compare/judge/evidence.hpp"

namespace macaw::compare {
namespace {

/// A tensor that was taken for another is not one that was compared.
void forget_doubtful(Location& location) {
  for (const auto& match : location.matched)
    if (match.different > 0) location.unmatched.push_back({match.id, match.name, kOtherForm});
  std::erase_if(location.matched, [](const MatchedTensor& match) { return match.different > 0; });
}

Location find_wrong(const Sides& sides, const Reference& reference, const std::vector<OutputComparison>& outputs,
                    const ConstantCheck& constants) {
  const Observed observed{sides.trace.records, sides.intermediate, outputs, sides.trace.host_calls};
  const std::size_t most_skipped = observed.outputs_equal() ? 6 : 3;
  const auto search = [&](const std::set<TensorId>& skip) {
    return locate(reference, sides.artifact, sides.accelerator, observed, constants, skip);
  };
  std::set<TensorId> skip;
  std::vector<std::string> notes;
  auto first = search(skip);
  if (observed.outputs.empty()) return first;
  std::optional<Evidence> evidence;
  if (sides.program != nullptr) evidence.emplace(*sides.program, *sides.inputs, reference, sides.trace.outputs);
  auto location = first;
  while (location.wrong && location.wrong->id && skip.size() < most_skipped) {
    auto& wrong = *location.wrong;
    if (observed.outputs_equal()) {
      const auto doubt = evidence ? evidence->doubt(wrong) : "the operators of the tensors are not known";
      wrong.certain = doubt.empty();
      if (wrong.certain) break;
      notes.push_back(fmt::format("tensor '{}' (recognised by {}): {} of {} elements differ, but {}", wrong.tensor,
                                  to_string(wrong.method), wrong.different, wrong.elements, doubt));
    } else if (evidence && evidence->explains_outputs(wrong)) {
      wrong.certain = true;
      wrong.candidates.clear();
      break;
    }
    skip.insert(*wrong.id);
    location = search(skip);
  }
  if (!observed.outputs_equal()) return location.wrong && location.wrong->certain ? location : first;
  if (location.wrong && !location.wrong->certain) {
    notes.push_back(fmt::format("tensor '{}' (recognised by {}) may differ", location.wrong->tensor,
                                to_string(location.wrong->method)));
    location.wrong.reset();
  }
  if (!location.wrong) forget_doubtful(location);
  location.doubtful |= !notes.empty();
  location.notes.insert(location.notes.begin(), notes.begin(), notes.end());
  return location;
}

/// An operator of the network in place of one of the graph.
void rename(WrongOperator& wrong, const Expansion& expansion, const Reference& network) {
  const auto in_network = [&](std::size_t op) { return expansion.operators[op]; };
  if (wrong.constant) {
    const auto op = in_network(wrong.constant->op);
    if (op) wrong.constant->op = *op;
    else wrong.constant.reset();
  }
  std::set<std::size_t> fused;
  for (const auto op : wrong.fused)
    if (const auto other = in_network(op)) fused.insert(*other);
  if (wrong.index) wrong.index = in_network(*wrong.index);
  if (wrong.index) fused.erase(*wrong.index);
  wrong.fused.assign(fused.begin(), fused.end());
  if (wrong.id) wrong.id = expansion.tensors[*wrong.id];
  if (wrong.index && !wrong.tensor.empty() && !network.find(wrong.tensor))
    wrong.tensor =
        fmt::format("{}: {}", network.tensors[network.operators[*wrong.index].outputs[0]].name, wrong.tensor);
}

/// The first wrong operator of those that the network's operators consist of. Their contradicting the network is an
/// error of Macaw's, not of the compiled network: a note, which leaves the verdict as it is.
std::optional<WrongOperator> find_wrong_part(const Sides& sides, const Reference& reference,
                                             const std::vector<OutputComparison>& outputs,
                                             std::vector<std::string>& notes) {
  const auto expansion = sides.program->expand(*sides.inputs, reference);
  if (!expansion && expansion.error().code == ErrorCode::kMismatch)
    notes.push_back("operators were not divided into smaller ones: " + expansion.error().message);
  if (!expansion || !*expansion) return std::nullopt;
  const auto& graph = (*expansion)->graph;
  const auto& expanded = (*expansion)->reference;
  const Program program(graph);
  const IntermediateMatches none(expanded);
  const Sides inner{sides.artifact, sides.accelerator, sides.trace, none, &program, &(*expansion)->inputs};
  auto location =
      find_wrong(inner, expanded, outputs, check_constants(expanded, sides.trace.records, sides.accelerator));
  if (location.wrong) rename(*location.wrong, **expansion, reference);
  return std::move(location.wrong);
}

/// The operators of which one is wrong.
std::vector<std::string> candidates_of(const WrongOperator& wrong) {
  return wrong.candidates.empty() ? std::vector{wrong.name} : wrong.candidates;
}

/// Takes candidates and commands of another guess at the first wrong operator, as those that are less likely.
void add_guess(WrongOperator& wrong, const WrongOperator& other) {
  auto candidates = candidates_of(wrong);
  for (const auto& name : candidates_of(other))
    if (std::ranges::find(candidates, name) == candidates.end()) candidates.push_back(name);
  if (candidates.size() > 1) wrong.candidates = std::move(candidates);
  for (const auto& command : other.commands) {
    const bool known = std::ranges::any_of(
        wrong.commands, [&](const CommandText& c) { return c.step == command.step && c.command == command.command; });
    if (!known && wrong.commands.size() < kCommandsShown) wrong.commands.push_back(command);
  }
}

/// Takes the part if it explains the outputs. Else both are guesses: the part is the likelier one if it lies within the
/// operator that was found.
void take_part(std::optional<WrongOperator>& wrong, WrongOperator part, const Reference& reference) {
  if (!wrong || wrong->name.empty() || part.certain) {
    wrong = std::move(part);
    return;
  }
  if (!part.index) return;
  const auto& name = reference.operators[*part.index].text;
  const bool inside = wrong->index == part.index ||
                      std::ranges::find(wrong->fused, *part.index) != wrong->fused.end() ||
                      std::ranges::find(wrong->candidates, name) != wrong->candidates.end();
  if (inside) std::swap(*wrong, part);
  add_guess(*wrong, part);
}

}  // namespace

Location find_difference(const Sides& sides, const Reference& reference, const std::vector<OutputComparison>& outputs,
                         const ConstantCheck& constants) {
  auto location = find_wrong(sides, reference, outputs, constants);
  const bool equal = std::ranges::all_of(outputs, [](const auto& o) { return o.different == 0; });
  if (equal || sides.program == nullptr || (location.wrong && location.wrong->certain)) return location;
  if (auto part = find_wrong_part(sides, reference, outputs, location.notes))
    take_part(location.wrong, std::move(*part), reference);
  return location;
}

}  // namespace macaw::compare
