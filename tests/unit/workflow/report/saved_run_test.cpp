#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/support/checked.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/report/saved_run.hpp"

using namespace macaw;
using macaw::test::checked;

TEST_CASE("A run is what a reader of its report has") {
  const std::string accelerator = GENERATE("ethos-u55-128", "ethos-u85-256");
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz"));
  auto record = checked(npu::execute({.artifact = artifact,
                                      .accelerator = *artifact.accelerator,
                                      .mode = npu::RunMode::kTiming,
                                      .options = {.blocks = true, .movements = true, .activity_spans = 8}}));
  record.operations[1].source_kind = "Conv2D";
  record.operations[1].source_ofm = {1, 2, 3};
  record.operations[1].scheduled = npu::OperationTiming::Scheduled{7, "Conv2D", "conv"};
  record.advice = {{"faster", "macaw sim", record.cycles - 1}};

  const auto read = checked(trace::parse_saved_run(report::to_json(record).dump(), "report.json"));
  const auto made = report::saved_run(record);
  CHECK(report::page_data(made, report::summarise(made)) == report::page_data(read, report::summarise(read)));
  CHECK(made.accuracy() == read.accuracy());
}
