#include "workflow/compare/judge/locate.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <macaw/npu/debug_database.hpp>

#include "workflow/compare/judge/misread_operations.hpp"
#include "workflow/compare/judge/operator_name.hpp"
#include "workflow/compare/judge/unread_writes.hpp"
#include "workflow/compare/judge/wrong_operator.hpp"
#include "workflow/compare/match/candidates.hpp"
#include "workflow/compare/match/intermediate_matches.hpp"
#include "workflow/compare/match/match.hpp"
#include "workflow/compare/match/step_matches.hpp"
#include "workflow/compare/tensor_difference.hpp"

namespace macaw::compare {
namespace {

class Locator {
 public:
  Locator(const Reference& reference, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
          const Observed& observed, const ConstantCheck& constants, const std::set<TensorId>& skip)
      : reference_(reference),
        artifact_(artifact),
        accelerator_(accelerator),
        observed_(observed),
        records_(observed.records),
        constants_(constants),
        skip_(skip),
        outputs_equal_(observed.outputs_equal()),
        alignment_(reference, artifact, records_, observed.host_calls, observed.right_outputs()),
        placer_(reference, alignment_, constants, records_),
        names_(reference, artifact, records_, constants),
        host_reads_(host_reads()) {}

  Location run() {
    Location location;
    find_steps();
    find_similar();
    location.wrong = outputs_equal_ ? first_recognised() : first_wrong();
    if (outputs_equal_) add_notes(location);
    list_tensors(location);
    return location;
  }

 private:
  /// A match with contents other than the tensor's, and the record from which on it was wrong.
  struct Wrong {
    Match match;
    std::size_t record = 0;
  };

  /// A tensor that was written as it should be and is read otherwise is not where the CPU looks for it. Else commands
  /// that hold its operator's filters should have written it.
  [[nodiscard]] std::vector<Match> host_reads() const {
    auto matches = match_host_reads(reference_, artifact_, observed_.host_calls);
    for (auto& match : matches) {
      if (alignment_.equal(match)) continue;
      auto writers = alignment_.writers(match.tensor, records_.size());
      if (writers.empty()) writers = with_filters_of(match.tensor);
      if (!writers.empty()) match.records = std::move(writers);
    }
    std::erase_if(matches, [](const Match& match) { return match.records.empty(); });
    return matches;
  }

  [[nodiscard]] std::vector<std::size_t> with_filters_of(TensorId tensor) const {
    const auto cone = alignment_.cone(tensor);
    std::vector<std::size_t> found;
    for (const auto& [record, operators] : constants_.operators_of)
      if (!alignment_.right(record) && cone.operators.contains(operators.front())) found.push_back(record);
    return found;
  }

  /// The operations that an operator was split into, and the first of them all that wrote something wrong.
  void find_steps() {
    std::set<std::size_t> right;
    for (const auto& match : match_steps(reference_, alignment_, records_)) {
      for (std::size_t i = 0; i < match.steps; ++i) step_records_.insert(match.first + i);
      const auto wrong = match.wrong(reference_, records_);
      for (std::size_t i = 0; i < wrong.value_or(match.steps); ++i) right.insert(match.first + i);
      if (wrong && (!wrong_step_ || match.first + *wrong < wrong_step_->record()))
        wrong_step_ = WrongStep{match, *wrong};
    }
    alignment_.confirm(right);
  }

  /// Operations whose contents are nearly those of a tensor that is made from what they read: they are meant to write
  /// it, whether or not the difference lives on.
  void find_similar() {
    std::set<TensorId> taken;
    std::set<std::size_t> named = step_records_;
    for (const auto& match : alignment_.named()) {
      taken.insert(match.tensor);
      named.insert(match.records.begin(), match.records.end());
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (alignment_.right(i) || named.contains(i) || records_[i].contents.size() < kMinDistinctiveBytes) continue;
      for (auto& place : placer_.of(i)) {
        const bool same = (place.whole && place.similarity >= kSimilar && place.sources == 1) ||
                          (place.larger && place.similarity == 1 && place.reads_all) || place.certain();
        if (!same || !taken.insert(place.tensor).second) continue;
        similar_.push_back({place.tensor, MatchMethod::kSimilar, {i}, std::move(place.contents)});
        break;
      }
    }
    std::set<std::size_t> doubted;
    for (const auto& match : similar_) doubted.insert(match.records.begin(), match.records.end());
    alignment_.doubt(doubted);
  }

  /// Right tensors were made of what the commands wrote, though it is not the tensor that the database names: which of
  /// several commands make it up is a guess, and one may write it transposed.
  [[nodiscard]] bool is_other_form(const Match& match) const {
    if (alignment_.equal(match) || !alignment_.explained(match.records.back())) return false;
    const auto elements = reference_.tensors[match.tensor].value->size();
    return match.records.size() > 1 || different(match) * 2 > elements;
  }

  /// The first tensor that was recognised and has other elements.
  [[nodiscard]] std::optional<Wrong> first_match() const {
    std::optional<Wrong> first;
    const auto take = [&](const Match& match) {
      if (skip_.contains(match.tensor) || alignment_.equal(match)) return;
      if (!first || match.records.back() < first->record) first = Wrong{match, match.records.back()};
    };
    for (const auto& match : alignment_.named())
      if (!is_other_form(match)) take(match);
    for (const auto* matches : {&similar_, &host_reads_})
      for (const auto& match : *matches) take(match);
    return first;
  }

  /// A tensor, with the constant that makes it wrong.
  [[nodiscard]] std::optional<WrongOperator> first_recognised() {
    const auto first = first_match();
    if (!first) return std::nullopt;
    const auto constant = std::ranges::find(constants_.differences, first->record, &ConstantDifference::record);
    return constant == constants_.differences.end() ? describe(first->match) : describe_constant(*constant, first);
  }

  [[nodiscard]] std::optional<WrongOperator> first_wrong() {
    const auto first = first_match();
    if (!skip_.empty()) return first_recognised();
    const auto constant = constants_.differences.empty() ? records_.size() : constants_.differences.front().record;
    const auto step = wrong_step_ ? wrong_step_->record() : records_.size();
    if (constant < records_.size() && constant <= step && (!first || constant <= first->record))
      return describe_constant(constants_.differences.front(), first);
    const bool is_step = step < records_.size() && (!first || step <= first->record);
    if (const auto unexplained = first_unexplained(is_step ? step : first ? first->record : constant))
      return unexplained;
    if (is_step) return describe_step(*wrong_step_);
    if (first) return blame(first->match);
    if (constant < records_.size()) return describe_constant(constants_.differences.front(), first);
    return observed_.outputs.empty() ? std::nullopt : wrong_output();
  }

  /// Unusual observations where the outputs are right.
  void add_notes(Location& location) {
    location.doubtful = wrong_step_.has_value();
    if (wrong_step_) {
      const auto& [match, number] = *wrong_step_;
      const auto& op = reference_.operators[match.op];
      location.notes.push_back(fmt::format("{}: its commands take other steps than are known, the first at '{}'",
                                           op.text, op.forms[match.form][number].name));
    }
    for (const auto& unread : find_unread_writes({reference_, artifact_, records_, alignment_, placer_})) {
      WrongOperator at;
      names_.name(at, unread.tensor ? placer_.cone(*unread.tensor) : Cone{}, {unread.record});
      location.notes.push_back(fmt::format("{}command {}: {} of the bytes that it writes are never read",
                                           at.name.empty() ? "" : at.name + ", ", records_[unread.record].command,
                                           unread.bytes));
    }
  }

  /// Names what may be at fault: the operator of the match, those on the way to it of which nothing is known, and those
  /// that its commands should have read from. Where there are several, they are candidates.
  [[nodiscard]] WrongOperator blame(const Match& match) {
    auto wrong = describe(match);
    const auto reader = match.records.back();
    const auto misread = find_misread_operations(alignment_, records_, reader, placer_.cone(match.tensor));
    std::set<std::size_t> suspects(misread.begin(), misread.end());
    for (const auto r : match.records)
      if (r == reader || !alignment_.right(r)) suspects.insert(r);
    // Steps on the way to it that wrote no tensor that is known.
    for (const auto r : leading_to(reader))
      if (!alignment_.explained(r)) suspects.insert(r);
    if (suspects.size() < 2) return wrong;
    wrong.commands.clear();
    for (const auto s : suspects) {
      const auto written = alignment_.written(s);
      add_candidate(wrong, written.empty() ? placer_.cone(match.tensor) : alignment_.cone(written.front()), s);
      add_command(wrong, s);
    }
    if (wrong.candidates.size() == 1) wrong.candidates.clear();
    return wrong;
  }

  /// One of the operations that an operator was split into, and those that should have written what it reads, where
  /// it reads something else.
  [[nodiscard]] WrongOperator describe_step(const WrongStep& step) {
    const auto& op = reference_.operators[step.match.op];
    const auto& steps = op.forms[step.match.form];
    const auto& value = steps[step.number];
    WrongOperator wrong;
    wrong.method = MatchMethod::kStep;
    wrong.index = step.match.op;
    wrong.name = op.text;
    wrong.tensor = fmt::format("{}: {}", reference_.tensors[op.outputs[0]].name, value.name);
    Match result{op.outputs[0], MatchMethod::kStep, {}, records_[step.match.first + step.match.steps - 1].contents};
    for (std::size_t i = 0; i < step.match.steps; ++i) result.records.push_back(step.match.first + i);
    keep(wrong, result);
    describe_difference(wrong, value.value, records_[step.record()].contents);
    if (wrong.different == 0) wrong.pattern = "right, but made of other memory than the step before was written to";
    add_command(wrong, step.record());
    for (const auto from : step.match.unread(reference_, records_, step.number)) add_command(wrong, from);
    // One that reads from elsewhere may have found the same there, and the next that does so something else.
    for (auto next = step.number; next < step.match.steps && wrong.commands.size() < kCommandsShown; ++next)
      if (!is_right_step(records_[step.match.first + next], steps[next])) {
        if (next > step.number) add_command(wrong, step.match.first + next);
        break;
      }
    return wrong;
  }

  [[nodiscard]] WrongOperator describe(const Match& match) {
    WrongOperator wrong;
    wrong.method = match.method;
    const auto& tensor = reference_.tensors[match.tensor];
    wrong.tensor = tensor.name;
    describe_difference(wrong, *tensor.value, match.contents);
    keep(wrong, match);
    for (const auto& stale : stale_reads(match)) wrong.pattern += (wrong.pattern.empty() ? "" : "; ") + stale;
    names_.name(wrong, placer_.cone(match.tensor), match.records);
    // If there are several commands, those that wrote wrong bytes; all of them where that is not known.
    for (const auto r : match.records)
      if (match.records.size() == 1 || !alignment_.right(r)) add_command(wrong, r);
    return wrong;
  }

  void keep(WrongOperator& wrong, const Match& match) {
    describe_written(wrong, match, {reference_, records_, alignment_}, placer_.cone(match.tensor));
  }

  /// In words: what an operation reads of tensors that the one it should write is not made from.
  [[nodiscard]] std::vector<std::string> stale_reads(const Match& match) {
    std::vector<std::string> stale;
    const auto record = match.records.back();
    const auto& cone = placer_.cone(match.tensor);
    // Where the tensor is a guess, the operation reads at least all that it is made from.
    if (cone.frontier.empty() ||
        (match.method == MatchMethod::kPlace && !std::ranges::includes(alignment_.sources(record), cone.frontier)))
      return stale;
    for (const auto p : records_[record].producers) {
      const auto tensors = alignment_.written(p);
      const bool belongs = std::ranges::any_of(
          tensors, [&](TensorId t) { return cone.frontier.contains(alignment_.representative(t)); });
      if (!tensors.empty() && !belongs)
        stale.push_back(fmt::format("a stale read: it reads data that command {} left of '{}'", records_[p].command,
                                    reference_.tensors[tensors.front()].name));
    }
    return stale;
  }

  /// All that was written is right, but an output is not where it belongs.
  [[nodiscard]] std::optional<WrongOperator> wrong_output() {
    std::optional<std::size_t> writer;
    TensorId output = 0;
    for (std::size_t i = 0; i < std::min(reference_.outputs.size(), artifact_.outputs.size()); ++i) {
      const auto writers = alignment_.writers(reference_.outputs[i], records_.size());
      if (writers.empty()) continue;
      const bool elsewhere = records_[writers.back()].written != span_of(artifact_.outputs[i]);
      if (writer && !elsewhere) continue;
      writer = writers.back();
      output = reference_.outputs[i];
      if (elsewhere) break;
    }
    if (!writer) return std::nullopt;
    auto wrong = describe({output, MatchMethod::kContents, {*writer}, records_[*writer].contents});
    wrong.pattern = "right, but not where or how the network's output lies";
    if (wrong.commands.empty()) add_command(wrong, *writer);
    return wrong;
  }

  /// A constant that differs, with the tensor if it is that operation's.
  [[nodiscard]] WrongOperator describe_constant(const ConstantDifference& constant, const std::optional<Wrong>& first) {
    WrongOperator wrong;
    if (first && first->record == constant.record) {
      wrong = describe(first->match);
    } else {
      const auto places = placer_.of(constant.record);
      if (!places.empty() && places.front().whole && places.front().filters > 0)
        wrong = describe({places.front().tensor, MatchMethod::kPlace, {constant.record}, places.front().contents});
      else add_command(wrong, constant.record);
    }
    if (wrong.id && !placer_.cone(*wrong.id).operators.contains(constant.op)) wrong.id.reset();
    wrong.index = constant.op;
    wrong.name = reference_.operators[constant.op].text;
    wrong.candidates.clear();
    wrong.constant = constant;
    return wrong;
  }

  void add_candidate(WrongOperator& wrong, const Cone& cone, std::size_t record) {
    WrongOperator other;
    names_.name(other, cone, {record});
    if (std::ranges::find(wrong.candidates, other.name) == wrong.candidates.end())
      wrong.candidates.push_back(std::move(other.name));
  }

  void add_command(WrongOperator& wrong, std::size_t record) const {
    if (wrong.commands.size() == kCommandsShown) return;
    const auto& r = records_[record];
    wrong.commands.push_back({r.step, r.command, r.offset, operation_text(r.operation),
                              register_state(artifact_, accelerator_, r.step, r.command)});
  }

  /// Without a name for it: the first operation that wrote no tensor of the graph and from which no right tensor was
  /// made. The tensor it should have written is one of its size whose operators read what it reads.
  [[nodiscard]] std::optional<WrongOperator> first_unexplained(std::size_t end) {
    if (observed_.outputs.empty()) return std::nullopt;  // nothing need be made from what operations wrote
    std::vector<std::size_t> suspects;
    for (std::size_t i = 0; i < std::min(end, records_.size()); ++i) {
      if (alignment_.explained(i) || records_[i].contents.empty()) continue;
      suspects.push_back(i);
      if (reference_.operators.empty()) continue;
      const auto places = placer_.of(i);
      if (places.empty() || !places.front().likely()) continue;
      // Steps on the way to the tensor, or one that wrote another shape than it should have, come before.
      const auto behind = leading_to(i);
      std::erase_if(suspects, [&](std::size_t s) { return !behind.contains(s); });
      return blame({places.front().tensor, MatchMethod::kPlace, suspects, places.front().contents});
    }
    if (suspects.empty() || end < records_.size()) return std::nullopt;
    return unknown(suspects);
  }

  /// A record and those whose results reached it.
  [[nodiscard]] std::set<std::size_t> leading_to(std::size_t record) const {
    std::set<std::size_t> behind{record};
    for (std::size_t i = record + 1; i-- > 0;)
      if (behind.contains(i)) behind.insert(records_[i].producers.begin(), records_[i].producers.end());
    return behind;
  }

  /// Nothing of the graph fits: the commands alone.
  [[nodiscard]] WrongOperator unknown(const std::vector<std::size_t>& suspects) {
    WrongOperator wrong;
    wrong.method = MatchMethod::kPlace;
    names_.name(wrong, {}, {suspects.front()});
    for (const auto r : suspects) add_command(wrong, r);
    // A graph says what each of them should read; without one any may be the first.
    if (reference_.operators.empty())
      for (const auto r : suspects) add_candidate(wrong, {}, r);
    if (wrong.candidates.size() == 1) wrong.candidates.clear();
    return wrong;
  }

  [[nodiscard]] std::int64_t different(const Match& match) const {
    const auto& expected = *reference_.tensors[match.tensor].value;
    if (alignment_.equal(match)) return 0;
    const auto actual = written(match);
    return actual ? compare_tensors("", expected, *actual).different : expected.size();
  }

  /// Data written by the commands as a tensor like the graph's; empty if the size differs.
  [[nodiscard]] std::optional<Tensor> written(const Match& match) const {
    return reinterpret_as(*reference_.tensors[match.tensor].value, match.contents);
  }

  void list_tensors(Location& location) const {
    std::set<TensorId> listed, inside;
    const auto list = [&](const std::vector<Match>& matches) {
      for (const auto& match : matches) {
        if (is_other_form(match) || !listed.insert(match.tensor).second) continue;
        const auto& tensor = reference_.tensors[match.tensor];
        location.matched.push_back(
            {match.tensor, tensor.name, match.method, match.records.size(), tensor.value->size(), different(match)});
        if (location.matched.back().different > 0) location.matched.back().actual = written(match);
        inside.merge(alignment_.cone(match.tensor).inside);
      }
    };
    list(alignment_.named());
    list(alignment_.by_contents());
    list(similar_);
    list(host_reads_);
    for (auto& tensor : indirect_matches(reference_, alignment_, observed_, listed)) {
      listed.insert(tensor.id);
      inside.merge(alignment_.cone(tensor.id).inside);
      location.matched.push_back(std::move(tensor));
    }
    const auto kinds = host_kinds();
    const auto producers = reference_.producers();
    const auto is_on_cpu = [&](TensorId t) {
      return producers[t] && kinds.contains(reference_.operators[*producers[t]].kind);
    };
    for (TensorId t = 0; t < reference_.tensors.size(); ++t)
      if (reference_.is_computed(t) && !listed.contains(t))
        location.unmatched.push_back({t, reference_.tensors[t].name,
                                      is_on_cpu(t)         ? kLeftToCpu
                                      : inside.contains(t) ? kComputedInside
                                                           : kOtherForm});
  }

  /// Operators of the CPU, by kind.
  [[nodiscard]] std::set<std::string> host_kinds() const {
    std::set<std::string> kinds;
    for (const auto& step : artifact_.steps)
      if (const auto* host = std::get_if<npu::HostOperator>(&step)) kinds.insert(host->name);
    return kinds;
  }

  static constexpr double kSimilar = 0.9;

  const Reference& reference_;
  const npu::Artifact& artifact_;
  const npu::Accelerator& accelerator_;
  const Observed& observed_;
  const std::vector<Record>& records_;
  const ConstantCheck& constants_;
  const std::set<TensorId>& skip_;
  bool outputs_equal_;
  Alignment alignment_;
  CandidateFinder placer_;
  OperatorNames names_;
  std::vector<Match> similar_, host_reads_;
  std::set<std::size_t> step_records_;
  std::optional<WrongStep> wrong_step_;
};

}  // namespace

Location locate(const Reference& reference, const npu::Artifact& artifact, const npu::Accelerator& accelerator,
                const Observed& observed, const ConstantCheck& constants, const std::set<TensorId>& skip) {
  return Locator(reference, artifact, accelerator, observed, constants, skip).run();
}

}  // namespace macaw::compare
