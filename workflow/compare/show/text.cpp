#include "workflow/compare/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

namespace macaw::compare {
namespace {

constexpr std::size_t kMostLines = 10;

std::string operator_text(const WrongOperator& wrong, const Reference& reference) {
  if (const auto& all = wrong.candidates; all.size() > kMostLines)
    return fmt::format("one of the candidates {}, or of the {} up to {}",
                       fmt::join(std::span(all).first(kMostLines), ", "), all.size() - kMostLines, all.back());
  if (wrong.candidates.size() == 1) return "candidate " + wrong.candidates.front();
  if (!wrong.candidates.empty()) return fmt::format("one of the candidates {}", fmt::join(wrong.candidates, ", "));
  if (wrong.name.empty()) return "an operator that the commands do not identify";
  std::vector<std::string> fused;
  for (const auto i : wrong.fused) fused.push_back(reference.operators[i].text);
  if (fused.empty()) return wrong.name;
  if (fused.size() > kMostLines)
    return fmt::format("{}, or one of the {} operators up to {}", wrong.name, fused.size(), fused.back());
  return fmt::format("{}, fused with {}", wrong.name, fmt::join(fused, ", "));
}

std::string difference_text(const Comparison& comparison, const WrongOperator& wrong) {
  if (wrong.tensor.empty()) return wrong.pattern.empty() ? "" : fmt::format("  {}\n", wrong.pattern);
  auto text = fmt::format("  tensor '{}' (recognised by {}): ", wrong.tensor, to_string(wrong.method));
  if (wrong.other_size && wrong.different > 0) return text + "the commands write another number of elements\n";
  if (wrong.different == 0) return text + wrong.pattern + "\n";
  text += fmt::format("{} of {} elements differ, the first at [{}]: {} {}, sim {}\n", wrong.different, wrong.elements,
                      fmt::join(wrong.position, ", "), comparison.kind, wrong.expected, wrong.actual);
  if (!wrong.pattern.empty()) text += fmt::format("  {}\n", wrong.pattern);
  return text;
}

std::string wrong_text(const Comparison& comparison, const WrongOperator& wrong) {
  auto text = fmt::format("first wrong: {}\n", operator_text(wrong, comparison.reference));
  if (wrong.constant) text += fmt::format("  {}\n", to_text(*wrong.constant, comparison.reference));
  text += difference_text(comparison, wrong);
  for (const auto& command : wrong.commands) {
    text += fmt::format("  stream {}, command {}, byte {}:\n", command.step, command.command, command.offset);
    for (const auto& line : command.meaning) text += fmt::format("    {}\n", line);
    // The whole state of the first; of the others what was set for them.
    for (const auto& line : command.registers)
      if (line.changed || &command == wrong.commands.data())
        text += fmt::format("    {} {}\n", line.changed ? '*' : ' ', line.text);
  }
  return text;
}

std::string outputs_text(const Comparison& comparison, const std::string& inputs, const ComparedRun& run) {
  std::string text;
  for (const auto& o : run.outputs) {
    if (o.different == 0)
      text += fmt::format("{}: output '{}': {} of {} elements equal\n", inputs, o.name, o.elements, o.elements);
    else
      text +=
          fmt::format("{}: output '{}': {} of {} elements differ, the first at [{}]: {} {}, sim {}\n", inputs, o.name,
                      o.different, o.elements, fmt::join(o.index, ", "), comparison.kind, o.expected, o.actual);
  }
  return text;
}

std::string tensors_text(const Location& location) {
  std::map<std::string, std::vector<std::string>> by_method, by_reason;
  for (const auto& tensor : location.matched) by_method[to_string(tensor.method)].push_back(tensor.name);
  for (const auto& tensor : location.unmatched) by_reason[tensor.reason].push_back(tensor.name);
  std::string text;
  for (const auto& [method, names] : by_method)
    text += fmt::format("{} tensors recognised by {}: {}\n", names.size(), method, fmt::join(names, ", "));
  for (const auto& [reason, names] : by_reason)
    text += fmt::format("{} tensors not found, {}: {}\n", names.size(), reason, fmt::join(names, ", "));
  return text;
}

std::string exercised_text(const Coverage& coverage) {
  std::size_t low = 0, high = 0, signs = 0, used = 0, entries = 0;
  for (const auto& [tensor, e] : coverage.exercised) {
    low += e.low;
    high += e.high;
    signs += e.both_signs();
    used += e.entries.size();
    entries += e.table;
  }
  auto text = fmt::format("input coverage: of {} tensors, {} reach their minimum, {} their maximum, {} have both signs",
                          coverage.exercised.size(), low, high, signs);
  if (entries > 0) text += fmt::format("; {} of {} entries of tables were looked up", used, entries);
  return text + "\n";
}

std::string constants_text(const ConstantCheck& check) {
  std::vector<std::string> parts;
  const auto add = [&](const ConstantCoverage& c, const char* what) {
    if (c.operators > 0) parts.push_back(fmt::format("{} of {} operators", c.compared, c.operators) + what);
  };
  add(check.weights, "' weights");
  add(check.biases, "' biases");
  add(check.scales, "' scales");
  add(check.tables, "' tables");
  if (parts.empty()) return "";
  auto text = fmt::format("constants compared: {}", fmt::join(parts, ", "));
  for (std::size_t i = 0; i < std::min(check.not_found.size(), kMostLines); ++i)
    text += fmt::format("{}{}", i == 0 ? "; read by no command in this form: those of " : ", ", check.not_found[i]);
  if (check.not_found.size() > kMostLines) text += fmt::format(" and {} more", check.not_found.size() - kMostLines);
  return text + "\n";
}

std::string operators_text(const Comparison& comparison) {
  const auto& coverage = comparison.coverage;
  if (coverage.operators.empty()) return "";
  const auto count = [&](OperatorCoverage kind) { return coverage.operators_that_are(kind).size(); };
  auto text =
      fmt::format("operators compared: {} of {}", count(OperatorCoverage::kCompared), coverage.operators.size());
  if (const auto fused = count(OperatorCoverage::kFused); fused > 0) text += fmt::format("; {} fused", fused);
  if (const auto cpu = count(OperatorCoverage::kLeftToCpu); cpu > 0) text += fmt::format("; {} left to the CPU", cpu);
  const auto missing = coverage.operators_that_are(OperatorCoverage::kNotFound);
  for (std::size_t i = 0; i < std::min(missing.size(), kMostLines); ++i)
    text += fmt::format("{}{}", i == 0 ? fmt::format("; {} not found: ", missing.size()) : ", ",
                        comparison.reference.operators[missing[i]].text);
  if (missing.size() > kMostLines) text += fmt::format(" and {} more", missing.size() - kMostLines);
  return text + "\n";
}

}  // namespace

std::string coverage_text(const Comparison& comparison) {
  const auto& coverage = comparison.coverage;
  const auto compared = coverage.compared.size(), all = compared + coverage.not_compared.size();
  auto text = fmt::format("tensors compared: {} of {} in {} run{}", compared, all, comparison.runs.size(),
                          comparison.runs.size() == 1 ? "" : "s");
  std::map<std::string, std::size_t> reasons;
  for (const auto& [id, tensor] : coverage.not_compared) ++reasons[tensor.reason];
  for (const auto& [reason, count] : reasons) text += fmt::format("; {} {}", count, reason);
  if (std::ranges::any_of(comparison.runs, [](const auto& run) { return run.outputs.empty(); }))
    text += "; the network's outputs are not among them";
  return text + "\n" + operators_text(comparison) + constants_text(comparison.constants) + exercised_text(coverage);
}

std::string failure_text(const Comparison& comparison, const ComparedRun& run) {
  if (comparison.equal(run)) return "";
  auto text = run.outputs_equal() ? "" : outputs_text(comparison, run.inputs, run);
  std::size_t lines = 0;
  for (const auto& tensor : run.location.matched)
    if (tensor.different > 0 && lines++ < kMostLines)
      text += fmt::format("{}: tensor '{}': {} of {} elements differ\n", run.inputs, tensor.name, tensor.different,
                          tensor.elements);
  if (lines > kMostLines) text += fmt::format("{}: and {} more tensors\n", run.inputs, lines - kMostLines);
  if (run.location.wrong) text += wrong_text(comparison, *run.location.wrong);
  else if (!run.location.matched.empty()) text += "no faulty operation found: every recognised tensor matches\n";
  return text;
}

std::string to_text(const Comparison& comparison, bool tensors) {
  std::string text;
  const auto& runs = comparison.runs;
  for (auto run = runs.begin(); run != runs.end();) {
    // Runs that are equal one after the other are one line.
    const auto end = std::find_if(run, runs.end(), [&](const auto& r) { return !comparison.equal(r); });
    if (run != end) {
      const auto& last = *(end - 1);
      text += outputs_text(comparison, end - run == 1 ? run->inputs : fmt::format("{} to {}", run->inputs, last.inputs),
                           *run);
      run = end;
      continue;
    }
    if (run->outputs_equal()) text += outputs_text(comparison, run->inputs, *run);
    text += failure_text(comparison, *run);
    ++run;
  }
  const auto notes = comparison.notes();
  for (std::size_t i = 0; i < std::min(notes.size(), kMostLines); ++i) text += fmt::format("note: {}\n", notes[i]);
  if (notes.size() > kMostLines) text += fmt::format("and {} more notes\n", notes.size() - kMostLines);
  if (comparison.tried > 0)
    text +=
        fmt::format("{} more runs on random inputs, because of notes above: all outputs are equal\n", comparison.tried);
  const std::vector<ConstantDifference> none;
  const auto& differences = comparison.equal() ? none : comparison.constants.differences;
  for (std::size_t i = 0; i < std::min(differences.size(), kMostLines); ++i)
    text += fmt::format("constant differs: {}\n", to_text(differences[i], comparison.reference));
  if (differences.size() > kMostLines)
    text += fmt::format("and constants of {} more operations\n", differences.size() - kMostLines);
  if (tensors && !runs.empty()) text += tensors_text(runs.back().location);
  return text + coverage_text(comparison);
}

}  // namespace macaw::compare
