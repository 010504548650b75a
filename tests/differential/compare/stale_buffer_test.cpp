#include <catch2/catch.hpp>

#include "models/models.hpp"
#include "sim/isa/decoder.hpp"
#include "tests/differential/compare/subjects.hpp"
#include "tests/support/checked.hpp"

using namespace macaw;
using macaw::test::checked;

namespace {

/// The artifact with 1024 added to what the command at `index` of its first stream sets.
npu::Artifact moved(npu::Artifact artifact, std::size_t index) {
  for (auto& step : artifact.steps)
    if (auto* commands = std::get_if<npu::CommandStream>(&step)) {
      const auto decoded = checked(npu::decode(artifact.accelerator->family, commands->words));
      commands->words[decoded[index].offset / 4 + 1] += 1024;
      break;
    }
  return artifact;
}

}  // namespace

TEST_CASE("an operation that reads what others left is said to read a stale buffer") {
  const auto subjects = bundled_subjects();
  const auto& subject = *std::ranges::find_if(subjects, [](const auto& s) { return s.name.starts_with("ds_cnn"); });
  const auto inputs = checked(models::sample_inputs(subject.graph, 1));
  const auto& commands = std::get<npu::CommandStream>(*std::ranges::find_if(
      subject.artifact.steps, [](const auto& step) { return std::holds_alternative<npu::CommandStream>(step); }));
  const auto decoded = checked(npu::decode(subject.artifact.accelerator->family, commands.words));
  unsigned stale = 0;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    if (decoded[i].row->name != "NPU_SET_OFM_BASE0") continue;
    compare::Comparison comparison;
    const auto artifact = moved(subject.artifact, i);
    if (!compare::add_run(comparison, subject.graph, artifact, *artifact.accelerator, "", inputs)) continue;
    const auto& wrong = comparison.runs.front().location.wrong;
    if (comparison.equal()) continue;
    REQUIRE(wrong);
    stale += wrong->pattern.find("a stale read: it reads data that command ") != std::string::npos;
  }
  CHECK(stale > 0);
}
