#include "workflow/report/forms/forms.hpp"

#include <catch2/catch.hpp>

#include <map>

// Every number of a CSV row, from a run that is written out here.
using namespace macaw;

namespace {

npu::RunRecord run_on(const char* accelerator) {
  npu::RunRecord run;
  run.network = "net \"a\", b.npz";
  run.system = "some_system";
  run.memory_mode = "Shared_Sram";
  run.accelerator = npu::find_accelerator(accelerator);
  run.clock_hz = 500e6;
  run.bytes_per_cycle = {8, 2};
  run.region_side = {1, 0, 0, 1, 0, 0, 0, 0};
  run.cycles = 1'000'000;
  npu::OperationTiming conv;
  conv.name = "NPU_OP_CONV";
  conv.end = 600'000;
  conv.macs = 3'000'000'000;
  conv.memory = {{"ifm", 1, 1000, 0, 999, false},      {"ifm2", 3, 200, 0, 199, false},
                 {"weights", 0, 30'000, 0, 99, false}, {"scales", 0, 4000, 0, 99, false},
                 {"weights", 1, 70, 0, 69, false},     {"ofm", 2, 500'000, 0, 99, true}};
  npu::OperationTiming copy;
  copy.name = "NPU_OP_DMA_START";
  copy.start = 600'000;
  copy.end = 1'000'000;
  copy.macs = 1'000'000'000;
  copy.memory = {{"source", 0, 6, 0, 5, false}, {"destination", 1, 7, 0, 6, true}, {"destination", 3, 9, 0, 8, true}};
  run.operations = {conv, copy};
  return run;
}

std::map<std::string, std::string> row_of(const npu::RunRecord& run) {
  const auto text = report::render_csv(run, report::summarise(run));
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) lines.back().emplace_back();
    else if (c == '\n') lines.emplace_back(1);
    else lines.back().back() += c;
  }
  REQUIRE(lines.size() == 3);
  REQUIRE(lines[0].size() == lines[1].size());
  std::map<std::string, std::string> row;
  for (std::size_t i = 0; i < lines[0].size(); ++i) CHECK(row.emplace(lines[0][i], lines[1][i]).second);
  return row;
}

}  // namespace

TEST_CASE("bytes of a CSV row are by side, by direction, and weights apart") {
  for (const auto& [accelerator, slow] : {std::pair<const char*, std::string>("ethos-u55-128", "off_chip_flash"),
                                          {"ethos-u65-256", "dram"},
                                          {"ethos-u85-256", "dram"}}) {
    INFO(accelerator);
    const auto row = row_of(run_on(accelerator));
    CHECK(row.at("sram_feature_map_read_bytes") == "1000");
    CHECK(row.at("sram_feature_map_write_bytes") == "500007");
    CHECK(row.at("sram_weight_read_bytes") == "70");
    CHECK(row.at("sram_weight_write_bytes") == "0");
    CHECK(row.at("sram_total_bytes") == "501077");
    CHECK(row.at(slow + "_feature_map_read_bytes") == "206");
    CHECK(row.at(slow + "_feature_map_write_bytes") == "9");
    CHECK(row.at(slow + "_weight_read_bytes") == "34000");
    CHECK(row.at(slow + "_total_bytes") == "34215");
    for (const std::string area : {"dram", "off_chip_flash", "on_chip_flash"}) {
      if (area == slow) continue;
      for (const char* what :
           {"_feature_map_read_bytes", "_feature_map_write_bytes", "_weight_read_bytes", "_total_bytes"})
        CHECK(row.at(area + what) == "0");
      CHECK(row.at(area + "_bandwidth") == "0.000000");
    }
    // 8 and 2 bytes in a cycle of 2 ns, over 2^30.
    CHECK(row.at("sram_bandwidth") == "3.725290");
    CHECK(row.at(slow + "_bandwidth") == "0.931323");
  }
}

TEST_CASE("time, rates and names of a CSV row") {
  const auto row = row_of(run_on("ethos-u55-128"));
  CHECK(row.at("network") == "\"net \"\"a\"\", b.npz\"");
  CHECK(row.at("accelerator_configuration") == "ethos-u55-128");
  CHECK(row.at("system_config") == "some_system");
  CHECK(row.at("memory_mode") == "Shared_Sram");
  CHECK(row.at("core_clock") == "500000000.0");
  CHECK(row.at("cycles_npu") == "1000000");
  CHECK(row.at("cycles_total") == "1000000");
  CHECK(row.at("inference_time") == "0.002000000");
  CHECK(row.at("inferences_per_second") == "500.000000");
  CHECK(row.at("passes_after_fusing") == "2");
  CHECK(row.at("nn_macs") == "4000000000");
  CHECK(row.at("nn_tops") == "4.000000");  // two operations each, in 2 ms
  auto nothing = run_on("ethos-u55-128");
  nothing.cycles = 0;
  CHECK(row_of(nothing).at("nn_tops") == "0.000000");
  CHECK(row_of(nothing).at("inferences_per_second") == "0.000000");
}
