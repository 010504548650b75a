#include "workflow/run/pmu_selection.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <macaw/npu/artifact.hpp>

#include "workflow/report/run_report.hpp"
#include "workflow/report/setup_json.hpp"

using namespace macaw;
using namespace macaw::report;
using namespace macaw::run;

namespace {

const npu::Accelerator& u55() { return *npu::find_accelerator("ethos-u55-128"); }
const npu::Accelerator& u85() { return *npu::find_accelerator("ethos-u85-256"); }

std::string error_of(const npu::Accelerator& accelerator, const std::vector<std::string>& events) {
  const auto counters = select_events(accelerator, events);
  REQUIRE_FALSE(counters);
  CHECK(counters.error().code == ErrorCode::kUsage);
  return counters.error().message;
}

}  // namespace

TEST_CASE("events are chosen by name, with the driver's prefix, or by number") {
  const auto counters = select_events(u55(), {"MAC_ACTIVE", "ETHOSU_PMU_NPU_ACTIVE", "130"});
  REQUIRE(counters);
  CHECK(counters->at(0).number == 48);
  CHECK(counters->at(1).event == "NPU_ACTIVE");
  CHECK(counters->at(2).event == "AXI0_RD_DATA_BEAT_RECEIVED");
  CHECK(select_events(u85(), {"130"})->at(0).event == "SRAM_RD_DATA_BEAT_RECEIVED");
}

TEST_CASE("there are as many counters as the NPU has") {
  const std::vector<std::string> four(4, "MAC_ACTIVE"), five(5, "MAC_ACTIVE"), eight(8, "MAC_ACTIVE");
  CHECK(select_events(u55(), four));
  CHECK(error_of(u55(), five).find("4 counters") != std::string::npos);
  CHECK(select_events(u85(), eight));
  CHECK(error_of(u85(), std::vector<std::string>(9, "MAC_ACTIVE")).find("8 counters") != std::string::npos);
}

TEST_CASE("an event of another family is named with near ones") {
  CHECK(error_of(u55(), {"SRAM_RD_TRANS_ACCEPTED"}).find("'SRAM_RD_TRANS_ACCEPTED'") != std::string::npos);
  CHECK(error_of(u55(), {"MAC_ACTIV"}).find("did you mean 'MAC_ACTIVE'") != std::string::npos);
  CHECK(error_of(u55(), {"9999"}).find("'9999'") != std::string::npos);
}

TEST_CASE("counters hold 32 bits, and nothing for what is not modelled") {
  auto counters = select_events(u55(), {"MAC_ACTIVE", "NPU_ACTIVE", "ECC_DMA"});
  REQUIRE(counters);
  npu::PmuCounters counts;
  counts.counts = {{"ETHOSU_PMU_MAC_ACTIVE", (std::uint64_t{1} << 32) + 5}, {"ETHOSU_PMU_NPU_ACTIVE", 7}};
  auto read = *counters;
  read_counters(read, counts);
  CHECK(read[0].value == 5);
  CHECK(read[0].overflow);
  CHECK(read[1].value == 7);
  CHECK_FALSE(read[1].overflow);
  counts.counts["ETHOSU_PMU_NPU_ACTIVE"] = UINT32_MAX;
  auto most = *counters;
  read_counters(most, counts);
  CHECK(most[1].value == UINT32_MAX);
  CHECK_FALSE(most[1].overflow);
  CHECK_FALSE(read[2].value);

  npu::Artifact artifact;
  artifact.steps.push_back(npu::HostOperator{.index = 3, .name = "SOFTMAX", .inputs = {}, .outputs = {}});
  npu::RunRecord record;
  record.network = "n";
  record.accelerator = &u55();
  record.mode = npu::RunMode::kTiming;
  record.host_operators = npu::host_steps(artifact);
  record.counters = read;
  record.clock_hz = 1e9;
  record.error_bar = npu::ErrorBar{0.01, 0.02, 3};
  record.interval = npu::CyclesInterval{90, 110, 0.9, "12 runs"};
  const auto json = to_json(record);
  CHECK(json["pmu_counters"][0]["value"] == 5);
  CHECK(json["pmu_counters"][2]["value"].is_null());
  CHECK(json["cycles_error"]["worst"] == 0.02);
  CHECK(json["cycles_interval"] == nlohmann::json{{"low", 90}, {"high", 110}, {"coverage", 0.9}, {"basis", "12 runs"}});
  CHECK_FALSE(json.contains("cycles_interval_reason"));
  CHECK(to_text(record, artifact).find("90 % interval 90 to 110") != std::string::npos);
  CHECK(json["host_operators"][0]["name"] == "SOFTMAX");
  CHECK(to_text(record, artifact).find("SOFTMAX") != std::string::npos);
  CHECK(to_text(record, artifact).find("not modelled") != std::string::npos);
  record.error_bar.reset();
  CHECK(to_json(record)["cycles_error"].is_null());
  record.interval.reset();
  record.no_interval = "never measured";
  CHECK(to_json(record)["cycles_interval"].is_null());
  CHECK(to_json(record)["cycles_interval_reason"] == "never measured");
  CHECK(to_text(record, artifact).find("never measured") != std::string::npos);
}

TEST_CASE("a printed configuration tells where each value is from") {
  const auto setup = setup_json(u55(), {.params = {{"axi1.read_latency", 9}, {"ao_block_start", 91.5}}});
  REQUIRE(setup);
  const auto& json = *setup;
  CHECK(json["system"]["name"] == "corstone-300-u55");
  CHECK(json["axi1"]["read_latency"]["value"] == 9);
  CHECK(json["axi1"]["read_latency"]["source"] == "-C");
  CHECK(json["axi0"]["read_latency"]["source"] == "system corstone-300-u55");
  CHECK(json["params"]["ao_block_start"]["value"] == 91.5);
  CHECK(json["params"]["ao_block_start"]["confidence"] == "user");
  CHECK(json["params"]["command_word"]["source"] != "-C");
  CHECK_FALSE(json["params"].contains("kernel_start"));
  CHECK(json["memory_mode"]["regioncfg"].size() == 8);
}
