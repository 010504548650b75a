#include <catch2/catch.hpp>

#include "models/models.hpp"
#include "tests/differential/compare/corruption.hpp"
#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

using namespace macaw;
using macaw::test::checked;

namespace {

constexpr std::size_t kFlips = 10;  // in every network
constexpr int kAttempts = 50;       // many bits of a compressed stream end in a fault or change nothing
constexpr std::array kKinds = {Corrupted::kCommand, Corrupted::kWeight,    Corrupted::kScale, Corrupted::kTable,
                               Corrupted::kStride,  Corrupted::kZeroPoint, Corrupted::kBias,  Corrupted::kAddress,
                               Corrupted::kRemoved, Corrupted::kSwapped};

/// `count` of `subjects`, the families in turn, spread over those of a family.
std::vector<Subject> spread(const std::vector<Subject>& subjects, std::size_t count) {
  std::map<npu::Family, std::vector<const Subject*>> families;
  for (const auto& subject : subjects) families[subject.artifact.accelerator->family].push_back(&subject);
  std::vector<Subject> chosen;
  const auto size = std::min(count, subjects.size());
  while (chosen.size() < size)
    for (auto& [family, all] : families) {
      if (all.empty() || chosen.size() == size) continue;
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(chosen.size() * 7 % all.size());
      chosen.push_back(**at);
      all.erase(at);
    }
  return chosen;
}

struct FlipScore {
  unsigned drawn = 0, refused = 0, changed = 0, reported = 0, right = 0, candidates = 0;
  unsigned right_command = 0;
  unsigned wrong_for_sure = 0;  ///< another operator, without the word candidate
  unsigned weights = 0, right_channel = 0;
};

/// Output channels of the graph's operator whose weights an operation holds otherwise than the sound network. An
/// operation may make a part of them; those before it are counted by the filters that earlier operations read.
std::set<std::size_t> changed_channels(const std::vector<compare::Record>& sound,
                                       const std::vector<compare::Record>& flipped, const compare::ConstantCheck& check,
                                       std::size_t record) {
  const auto &before = sound[record].constants.weights, &after = flipped[record].constants.weights;
  if (before.size() != after.size() || before.empty()) return {};
  std::size_t offset = 0;
  std::set<std::vector<std::int16_t>> filters{before};
  if (const auto own = check.operators_of.find(record); own != check.operators_of.end())
    for (std::size_t r = 0; r < record; ++r)
      if (const auto other = check.operators_of.find(r); other != check.operators_of.end() &&
                                                         other->second == own->second &&
                                                         filters.insert(sound[r].constants.weights).second)
        offset += static_cast<std::size_t>(sound[r].c);
  const auto filter = before.size() / static_cast<std::size_t>(sound[record].c);
  std::set<std::size_t> channels;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i]) channels.insert(offset + i / filter);
  return channels;
}

struct Sound {
  const Subject& subject;
  std::vector<Tensor> inputs;
  compare::Trace trace;
  std::vector<std::set<std::size_t>> operators;  ///< of the program, by record
};

/// Whether it, or one of its candidates, is among the operators.
bool names_operator(const compare::WrongOperator& wrong, const compare::Reference& reference,
                    const std::set<std::size_t>& operators) {
  return std::ranges::any_of(operators, [&](std::size_t op) {
    return wrong.index == op ||
           std::ranges::find(wrong.candidates, reference.operators[op].text) != wrong.candidates.end();
  });
}

void judge(const Sound& sound, const std::vector<compare::Record>& flipped, Corrupted kind, const std::string& what,
           const std::pair<std::size_t, std::uint32_t>& changed, const compare::Comparison& comparison,
           FlipScore& score) {
  const auto& records = sound.trace.records;
  // Where an operation was left out, the one behind it is in its place.
  const auto at = static_cast<std::size_t>(
      std::ranges::find_if(flipped, [&](const auto& r) { return std::pair(r.step, r.command) == changed; }) -
      flipped.begin());
  REQUIRE(at < std::min(records.size(), flipped.size()));
  const auto& operators = sound.operators[at];
  ++score.changed;
  score.reported += !comparison.equal();
  const auto& wrong = comparison.runs.front().location.wrong;
  const bool right_command = wrong && names(*wrong, changed);
  const bool right = wrong && (right_command || names_operator(*wrong, comparison.reference, operators));
  score.right += right;
  score.right_command += right_command;
  score.candidates += right && !wrong->candidates.empty();
  score.wrong_for_sure += wrong && !right && wrong->candidates.empty();
  bool right_channel = true;
  if (kind == Corrupted::kWeight) {
    const auto channels = changed_channels(records, flipped, comparison.constants, at);
    right_channel = wrong && wrong->constant && wrong->constant->what == compare::ConstantDifference::What::kWeight &&
                    channels.contains(static_cast<std::size_t>(wrong->constant->channel));
    ++score.weights;
    score.right_channel += right_channel;
  }
  std::string named, expected;
  if (wrong)
    for (const auto& command : wrong->commands)
      named += " " + std::to_string(command.step) + ":" + std::to_string(command.command);
  for (const auto op : operators) expected += " " + comparison.reference.operators[op].text;
  if (comparison.equal() || !right || !right_channel || !right_command)
    std::printf("%s: %s, first changes command %zu:%u of%s: %s, %s%s%s%s\n", sound.subject.name.c_str(), what.c_str(),
                changed.first, changed.second, expected.c_str(), comparison.equal() ? "missed" : "reported",
                wrong ? (wrong->name + " '" + wrong->tensor + "', commands").c_str() : "no operator", named.c_str(),
                right ? ", another command" : ", another operator", right_channel ? "" : ", not the channel");
}

/// Flips one bit; whether that changed an output of the network.
bool flip(const Sound& sound, Corrupted kind, std::mt19937& random, FlipScore& score) {
  const auto& [subject, inputs, sound_trace, operators] = sound;
  const auto& accelerator = *subject.artifact.accelerator;
  auto artifact = subject.artifact;
  const auto corruption = corrupt(artifact, accelerator, random, kind);
  if (!corruption) return false;
  ++score.drawn;
  const auto program = subject.program();
  const auto trace =
      compare::trace_program(artifact, accelerator, checked(program.network_inputs(inputs, artifact)), true);
  score.refused += !trace;
  if (!trace || same_bytes(trace->outputs, sound_trace.outputs)) return false;
  const auto changed = first_changed(sound_trace.records, trace->records);
  if (!changed) return false;  // all operations write the same: the output is taken from elsewhere
  compare::Comparison comparison;
  REQUIRE(compare::add_run(comparison, program, artifact, accelerator, "sample", inputs));
  judge(sound, trace->records, kind, corruption->what, *changed, comparison, score);
  return true;
}

/// Inputs of which the outputs have most different values: random ones of the whole range drive many networks into
/// saturation, where hardly a difference reaches an output.
std::vector<Tensor> telling_inputs(const Subject& subject, const compare::Program& program, std::uint32_t seed) {
  constexpr int kShifts = 6;
  std::vector<Tensor> best;
  std::size_t most = 0;
  for (int shift = 0; shift < kShifts; ++shift) {
    auto inputs = checked(program.random_inputs(seed));
    for (auto& input : inputs)
      if (input.dtype() == DType::kINT8)
        for (auto& v : input.data<std::int8_t>()) v = static_cast<std::int8_t>(v >> shift);
    const auto given = checked(program.network_inputs(inputs, subject.artifact));
    const auto trace = checked(compare::trace_program(subject.artifact, *subject.artifact.accelerator, given, false));
    std::size_t values = 0;
    for (const auto& output : trace.outputs) {
      const auto bytes = output.bytes();
      values += std::set<std::byte>(bytes.begin(), bytes.end()).size();
    }
    if (values <= most) continue;
    most = values;
    best = std::move(inputs);
  }
  return best;
}

/// Flips bits until kFlips of them changed a result, of each kind in turn where the network has it.
void flip(const Subject& subject, std::uint32_t seed, FlipScore& score) {
  std::mt19937 random(seed);
  const auto program = subject.program();
  const auto inputs =
      subject.network ? telling_inputs(subject, program, seed) : checked(models::sample_inputs(subject.graph, seed));
  const auto in_network = checked(program.network_inputs(inputs, subject.artifact));
  auto trace = checked(compare::trace_program(subject.artifact, *subject.artifact.accelerator, in_network, true));
  auto operators = operators_of_operations(checked(program.reference(inputs)), subject.artifact, trace);
  const Sound sound{subject, inputs, std::move(trace), std::move(operators)};
  std::size_t done = 0;
  for (std::size_t turn = 0; done < kFlips && turn < 3 * kKinds.size(); ++turn)
    for (int attempt = 0; attempt < kAttempts; ++attempt)
      if (flip(sound, kKinds[turn % kKinds.size()], random, score)) {
        ++done;
        break;
      }
}

/// Networks of a route; MACAW_PLANTED_NETWORKS=40 plants 400 differences.
std::size_t networks() {
  const char* text = std::getenv("MACAW_PLANTED_NETWORKS");
  return text ? std::strtoul(text, nullptr, 10) : 8;
}

std::uint32_t first_seed() {
  const char* text = std::getenv("MACAW_FLIP_SEED");
  return static_cast<std::uint32_t>(text ? std::strtoul(text, nullptr, 10) : 1);
}

/// `right`, `right_command`: least share of the differences, in per cent, whose operator or command is named.
FlipScore flip_all(const std::vector<Subject>& subjects, unsigned right, unsigned right_command) {
  FlipScore score;
  for (std::uint32_t i = 0; i < subjects.size(); ++i) flip(subjects[i], first_seed() + i, score);
  std::printf(
      "%zu networks, %u differences planted, %u refused or faulting, %u change an output: %u reported, %u with the "
      "right operator, %u of these as candidates, %u with another one for sure, %u with the right command; right "
      "channel "
      "in %u of %u flips of weights\n",
      subjects.size(), score.drawn, score.refused, score.changed, score.reported, score.right, score.candidates,
      score.wrong_for_sure, score.right_command, score.right_channel, score.weights);
  CHECK(score.right_channel * 100 >= score.weights * 95);
  CHECK(score.reported * 100 >= score.changed * 98);
  CHECK(score.right * 100 >= score.changed * right);
  CHECK(score.right_command * 100 >= score.changed * right_command);
  CHECK(score.wrong_for_sure == 0);
  return score;
}

}  // namespace

TEST_CASE("planted differences are reported, with operator and channel") {
  auto subjects = spread(vela_subjects(), networks() / 2);
  for (auto& subject : spread(bundled_subjects(), networks() / 2)) subjects.push_back(std::move(subject));
  const FlipScore score = flip_all(subjects, 95, 85);
  CHECK(score.changed >= kFlips * subjects.size() * 8 / 10);
}

TEST_CASE("planted differences are reported in TensorFlow Lite networks, with operator and channel") {
  auto subjects = spread(tflite_subjects(), networks() / 2);
  for (auto& subject : spread(compiled_tflite_subjects(), networks() / 2)) subjects.push_back(std::move(subject));
  flip_all(subjects, 95, 65);
}
