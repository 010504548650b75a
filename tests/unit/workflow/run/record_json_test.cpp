#include "workflow/run/record_json.hpp"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/support/checked.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/run_report.hpp"

using namespace macaw;
using macaw::test::checked;

namespace {

npu::RunRecord record_on(const std::string& accelerator) {
  const auto artifact = checked(npu::load_artifact("traces/tiny_cnn/" + accelerator + "/tiny_cnn.npz"));
  auto record = checked(npu::execute({.artifact = artifact,
                                      .accelerator = *artifact.accelerator,
                                      .mode = npu::RunMode::kTiming,
                                      .options = {.blocks = true, .movements = true, .activity_spans = 8},
                                      .events = {"NPU_ACTIVE", "ECC_DMA"}}));
  record.operations[1].source = "conv of layer 1";
  record.operations[1].kind = "Conv2D";
  record.operations[1].shape = std::array{1, 2, 3};
  record.operations[1].scheduled = npu::OperationTiming::Scheduled{7, "Conv2D", "conv"};
  record.operations[1].chain_reads = {2, 3};
  record.operations[1].chain_write = 0;
  record.advice = {{"memory", "faster", "macaw sim", record.cycles - 1}};
  record.host_operators = {{3, 1, "SOFTMAX", 10}};
  return record;
}

}  // namespace

TEST_CASE("every member of a report is read as it was written, but outputs and findings") {
  const std::string accelerator = GENERATE("ethos-u55-128", "ethos-u85-256");
  auto record = record_on(accelerator);
  const auto written = run::record_json(record);
  const auto read = checked(run::parse_record(report::to_json(record).dump(), "report.json"));
  CHECK(run::record_json(read) == written);
  CHECK(report::page_data(record, report::summarise(record)) == report::page_data(read, report::summarise(read)));
  CHECK(read.accuracy() == record.accuracy());

  record.timing_adapter = !record.timing_adapter;
  record.error_bar = npu::ErrorBar{0.25, 0.5, 3};
  record.interval.reset();
  record.no_interval = "never measured";
  CHECK(run::record_json(checked(run::parse_record(run::record_json(record).dump(), "r"))) == run::record_json(record));
}

TEST_CASE("a member of another kind is refused by its name") {
  const auto refused = [](const char* pointer, const nlohmann::json& value) {
    auto json = report::to_json(record_on("ethos-u55-128"));
    json[nlohmann::json::json_pointer(pointer)] = value;
    const auto read = run::parse_record(json.dump(), "report.json");
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::kInvalidFile);
    return read.error().message;
  };
  CHECK_THAT(refused("/timing_adapter", "of"), Catch::Contains("timing_adapter must be on or off"));
  CHECK_THAT(refused("/mode", "time"), Catch::Contains("mode must be functional, timed or timing"));
  CHECK_THAT(refused("/pmu_counters/0/number", -1), Catch::Contains("pmu_counters[0].number must be an integer"));
  CHECK_THAT(refused("/cycles_error", 3), Catch::Contains("cycles_error must be an object"));
  CHECK_THAT(refused("/operations/0/name", 1), Catch::Contains("operations[0].name must be a text"));
  CHECK_THAT(refused("/operations/0/memory/0/write", 1), Catch::Contains("write must be true or false"));
  CHECK_THAT(refused("/operations/1/chain_reads/1", 8),
             Catch::Contains("chain_reads[1] must be an integer from 0 to 7"));
  CHECK_THAT(refused("/operations/1/shape", nlohmann::json{1, 2}), Catch::Contains("shape must list 3 integers"));
  CHECK_THAT(refused("/host_operators/0/step", nullptr), Catch::Contains("host_operators[0].step must be"));
  CHECK_THAT(refused("/activity", 1), Catch::Contains("activity must be a list"));
}
