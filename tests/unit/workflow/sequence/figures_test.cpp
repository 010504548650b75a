#include "workflow/sequence/figures.hpp"

#include <catch2/catch.hpp>

#include "workflow/report/run_report.hpp"

// Figures of the steps of a sequence, and the lines of the report about them.
using namespace macaw;

namespace {

npu::RunRecord record() {
  npu::RunRecord record;
  record.accelerator = npu::find_accelerator("ethos-u55-128");
  record.network = "net";
  record.clock_hz = 1e6;
  record.cycles = 1000;
  return record;
}

npu::InferenceRow row(std::optional<double> ms) {
  return {.kind = "cpu", .name = "operator 0 ADD", .ms = ms, .source = ""};
}

std::string text_of(npu::RunRecord record, const npu::Sequence& sequence) {
  record.mode = npu::RunMode::kFunctional;
  record.sequence = sequence;
  return report::to_text(record, {});
}

}  // namespace

TEST_CASE("steps per second have the part of the CPU, and are absent where a part of it is unknown") {
  sequence::Summary summary;
  summary.steps = 2;
  auto run = record();
  const auto rate = [&] { return sequence::figures(summary, run, {1000, 3000}).steps_per_second; };
  CHECK(rate() == 500.0);
  run.host_operators.push_back({.name = "ADD"});
  CHECK_FALSE(rate());
  run.inference.emplace().ms = 3;
  run.inference->rows = {row(2.0)};
  CHECK(rate() == 250.0);
  run.inference->rows.push_back(row({}));
  CHECK_FALSE(rate());
  CHECK_THAT(text_of(run, sequence::figures(summary, run, {1000, 3000})),
             Catch::Contains("steps per second: unknown, as operators on the CPU have no known cost\n"));
  CHECK_FALSE(sequence::figures(summary, run, {}).cycles);
}

TEST_CASE("the energy of a sequence names the events that its table does not cover") {
  npu::Sequence sequence;
  sequence.steps = 2;
  sequence.energy = npu::SequenceEnergy{.low = 1e-6, .high = 2e-6};
  CHECK_THAT(text_of(record(), sequence), !Catch::Contains("not covered"));
  sequence.energy->left_out = {"cycles of the run", "bytes read"};
  CHECK_THAT(text_of(record(), sequence), Catch::Contains("1e-06 to 2e-06 J for each step\n  not covered by the table: "
                                                          "cycles of the run; bytes read\n"));
}

TEST_CASE("the score of a sequence is one text") {
  npu::Sequence sequence;
  sequence.steps = 2;
  sequence.score = npu::SequenceScore{.classes = 2, .negative_log_likelihood = 1, .perplexity = 2.718, .top1 = 1};
  CHECK_THAT(text_of(record(), sequence), Catch::Contains(npu::to_string(*sequence.score) + "\n"));
}
