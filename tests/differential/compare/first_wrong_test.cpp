#include <catch2/catch.hpp>

#include <macaw/npu/debug_database.hpp>
#include "models/models.hpp"
#include "tests/differential/compare/corruption.hpp"
#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace macaw;
using macaw::test::checked;

namespace {

struct Score {
  unsigned networks = 0, right = 0, missed = 0;
  unsigned candidates = 0;  ///< right answers that name several
};

/// Corrupts each network once, in a way that changes what some operation writes, and asks for the first wrong operator.
Score score(const std::vector<Subject>& subjects, std::uint32_t seed) {
  std::mt19937 random(seed);
  Score result;
  for (const auto& subject : subjects) {
    const auto inputs = checked(models::sample_inputs(subject.graph, seed));
    const auto& accelerator = *subject.artifact.accelerator;
    const auto sound = checked(compare::trace_program(subject.artifact, accelerator, named(inputs), false));
    for (int attempt = 0; attempt < 200; ++attempt) {
      auto artifact = subject.artifact;
      const auto corruption = corrupt(artifact, accelerator, random);
      if (!corruption) continue;
      const auto trace = compare::trace_program(artifact, accelerator, named(inputs), false);
      // A fault names its command by itself. A register may be set for one operation and first matter to a later one.
      const auto changed = trace ? first_changed(sound.records, trace->records) : std::nullopt;
      if (!changed || same_bytes(trace->outputs, sound.outputs)) continue;
      compare::Comparison comparison;
      if (!compare::add_run(comparison, subject.graph, artifact, accelerator, "sample", inputs)) continue;
      const auto& wrong = comparison.runs.front().location.wrong;
      const bool right = wrong && names(*wrong, *changed);
      ++result.networks;
      result.right += right;
      result.candidates += right && !wrong->candidates.empty();
      result.missed += comparison.equal();
      if (!right)
        std::printf(
            "%s: %s of command %u, changed %u; named %s\n", subject.name.c_str(), corruption->what.c_str(),
            corruption->command, changed->second,
            !wrong ? "nothing" : (wrong->name + " '" + wrong->tensor + "' by " + to_string(wrong->method)).c_str());
      break;
    }
  }
  return result;
}

/// Corruptions of each network, at least `least`.
std::uint32_t rounds(int least) {
  const char* runs = std::getenv("MACAW_FUZZ_RUNS");
  return static_cast<std::uint32_t>(std::max(least, runs != nullptr ? std::atoi(runs) : 1));
}

/// Least number of a hundred corruptions.
void expect(unsigned least, const char* what, const std::vector<Subject>& subjects, int least_rounds = 1) {
  Score all;
  for (std::uint32_t seed = 1; seed <= rounds(least_rounds); ++seed) {
    const auto some = score(subjects, seed);
    all.networks += some.networks;
    all.right += some.right;
    all.missed += some.missed;
    all.candidates += some.candidates;
  }
  std::printf("%s: right in %u of %u, %u of them as candidates; %u missed\n", what, all.right, all.networks,
              all.candidates, all.missed);
  CHECK(all.networks * 10 >= subjects.size() * 9 * rounds(least_rounds));
  CHECK(all.right * 100 >= all.networks * least);
}

}  // namespace

TEST_CASE("the first wrong operator is named from the mapping in the file") {
  expect(75, "with debug database", bundled_subjects());
}

TEST_CASE("the first wrong operator is named from contents and shapes alone") {
  auto subjects = bundled_subjects();
  for (auto& subject : subjects) subject.artifact.debug = nullptr;
  expect(75, "without debug database", subjects);
}

TEST_CASE("the first wrong operator is named in Vela's streams with its debug database") {
  auto subjects = vela_subjects();
  std::erase_if(subjects, [](const Subject& s) { return s.artifact.debug == nullptr; });
  if (!subjects.empty()) expect(95, "compiled by Vela, with debug database", subjects, 20);
}

TEST_CASE("the first wrong operator is named in Vela's streams without a debug database") {
  auto subjects = vela_subjects();
  for (auto& subject : subjects) subject.artifact.debug = nullptr;
  if (!subjects.empty()) expect(95, "compiled by Vela, without debug database", subjects, 20);
}

TEST_CASE("every tensor of a sound network that is found is right") {
  for (const auto& subject : bundled_subjects()) {
    INFO(subject.name);
    const auto inputs = checked(models::sample_inputs(subject.graph, 3));
    compare::Comparison comparison;
    REQUIRE(compare::add_run(comparison, subject.graph, subject.artifact, *subject.artifact.accelerator, "", inputs));
    CHECK(comparison.equal());
    const auto& coverage = comparison.coverage;
    CHECK(coverage.compared.size() > coverage.not_compared.size());
    CHECK(comparison.constants.weights.compared == comparison.constants.weights.operators);
  }
}
