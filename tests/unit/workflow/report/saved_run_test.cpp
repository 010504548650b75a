#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/support/checked.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/saved_run.hpp"

using namespace macaw;
using macaw::test::checked;

TEST_CASE("A run is what a reader of its report has") {
  const std::string accelerator = GENERATE("ethos-u55-128", "ethos-u85-256");
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz"));
  npu::TimedOptions options;
  options.values = false;
  options.blocks = options.movements = true;
  options.activity_spans = 8;
  report::RunReport report;
  report.network = "tiny_cnn.npz";
  report.accelerator = accelerator;
  report.mode = "timing";
  report.artifact = &artifact;
  report.run = checked(npu::run_timed(artifact, *npu::find_accelerator(accelerator), {}, options));
  report.run.operations[1].source_kind = "Conv2D";
  report.run.operations[1].source_ofm = {1, 2, 3};
  report.run.operations[1].scheduled = npu::OperationTiming::Scheduled{7, "Conv2D", "conv"};
  report.advised = true;
  report.advice = {{"faster", "macaw sim", report.run.cycles - 1}};

  const auto read = checked(trace::parse_saved_run(report::to_json(report).dump(), "report.json"));
  const auto made = report::saved_run(report);
  CHECK(report::page_data(made, report::summarise(made)) == report::page_data(read, report::summarise(read)));
  CHECK(made.accuracy() == read.accuracy());
}
