#include "workflow/report/page_data.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

// The data of a run's page, from a run that is written out here.
using namespace macaw;
using nlohmann::json;

namespace {

npu::OperationTiming paged_operation(const char* name, std::uint64_t start, std::uint64_t end,
                                     std::uint64_t exclusive) {
  npu::OperationTiming o;
  o.name = name;
  o.source = "'a'";
  o.start = start;
  o.end = end;
  o.exclusive = {exclusive, 0};
  o.bound = "mac";
  o.busy = {{"mac", exclusive}};
  return o;
}

/// A layer of a DMA job and two operations, the second of which takes longest.
npu::RunRecord paged_run() {
  npu::RunRecord run;
  run.network = "net";
  run.accelerator = npu::find_accelerator("ethos-u55-128");
  run.clock_hz = 500e6;
  run.cycles = 1000;
  run.region_side = {1, 0, 0, 0, 0, 0, 0, 0};
  auto dma = paged_operation("NPU_OP_DMA_START", 0, 500, 500);
  dma.memory = {{"source", 0, 64, 0, 63, false}, {"destination", 1, 64, 0, 63, true}};
  auto first = paged_operation("NPU_OP_CONV", 100, 600, 200), second = paged_operation("NPU_OP_CONV", 600, 1000, 300);
  first.command = 3;
  second.command = 7;
  first.busy.push_back({"weight_decoder", 40});
  first.macs = 6000;
  auto& details = first.details.emplace();
  details.ofm = {4, 4, 8};
  details.mac_cycles = 100;
  details.weights = npu::WeightFigures{32, 80, 8, 0xABCD};
  first.memory = {{"weights", 0, 32, 0, 31, false}, {"ifm", 1, 100, 0, 99, false}, {"ofm", 1, 200, 128, 327, true}};
  second.memory = {{"ifm", 1, 10, 128, 137, false}, {"ofm", 0, 7, 500, 506, true}};
  run.operations = {dma, first, second};
  return run;
}

json data_of(const npu::RunRecord& run, std::optional<std::uint64_t> sram_size = {}) {
  return report::page_data(run, report::summarise(run), sram_size);
}

}  // namespace

TEST_CASE("a layer of a page has its bytes by direction and side, and its longest operation that is not a DMA job") {
  const auto data = data_of(paged_run());
  REQUIRE(data.at("layers").size() == 1);
  const auto& layer = data.at("layers")[0];
  CHECK(layer.at("read") == json{110, 96});
  CHECK(layer.at("written") == json{264, 7});
  CHECK(layer.at("main") == 2);
  CHECK(layer.at("exclusive") == 1000);
  CHECK(layer.at("weights") == json{32, 80, 8});
  CHECK(layer.at("weight_ratio") == 2.5);
  CHECK(layer.at("decoded_per_cycle") == 2);
  CHECK(layer.at("lanes") == 6000.0 / (100 * 128));
  CHECK(layer.at("source") == true);
  const auto& operations = data.at("operations");
  CHECK(operations.at("bytes") == json{{64, 300, 10}, {64, 32, 7}});
  CHECK(operations.at("cycles") == json{500, 500, 400});
  CHECK(operations.at("exclusive") == json{500, 200, 300});
  CHECK(operations.at("command") == json{0, 3, 7});
  CHECK_FALSE(operations.contains("blocks"));
  CHECK(data.at("bounds") == json::array({json::array({"MAC array", 1000})}));
}

TEST_CASE("a memory of a page has what is live over time, and its limit") {
  const auto run = paged_run();
  const auto data = data_of(run, 256);
  CHECK(data.at("sram_size") == 256);
  CHECK(data_of(run).at("sram_size").is_null());
  const auto summary = report::summarise(run);
  for (const std::size_t side : {0, 1}) {
    const auto &memory = data.at("memory")[side], &curve = memory.at("curve");
    CHECK(curve == json(summary.memory[side].curve));
    std::uint64_t peak = 0;
    for (const auto& point : curve) peak = std::max(peak, point[1].get<std::uint64_t>());
    CHECK(memory.at("peak") == peak);
  }
  CHECK(data.at("memory")[0].at("reach") == 328);
}

TEST_CASE("a page has the run's changes with what they save, and nothing that it does not show") {
  auto run = paged_run();
  CHECK(data_of(run).at("advice").is_null());
  run.advice = {{"memory", "axi0 without latency", "macaw sim x", 750}};
  run.advice->push_back({"", "of an older report", "macaw sim y", 900});
  const auto advice = data_of(run).at("advice");
  CHECK(advice[0] == json{{"kind", "memory"},
                          {"change", "axi0 without latency"},
                          {"gain", 250},
                          {"share", 0.25},
                          {"command", "macaw sim x"}});
  CHECK((advice[1].at("kind") == "memory" && advice[1].at("gain") == 100));
  run.interval = npu::CyclesInterval{900, 1100, 0.9, "basis"};
  for (const auto* member : {"mode", "interval"}) CHECK_FALSE(data_of(run).contains(member));
}

TEST_CASE("spans of a unit are whole cycles that add up to the end of the last") {
  auto run = paged_run();
  run.activity = {{.step = 0, .unit = "mac", .resolution = 1500, .spans = {}}};
  auto& spans = run.activity[0].spans;
  spans = {{.command = 3, .start = 1400, .end = 2600, .busy = 1500},
           {.command = 9, .start = 3499, .end = 4500, .busy = 499}};
  const auto activity = data_of(run).at("activity");
  CHECK(activity == json::array({{{"unit", "mac"}, {"resolution", 2}, {"data", {1, 1, 2, 2, -1, 0, 2, 0}}}}));
}

TEST_CASE("a page's data ends no script element, nor opens a comment in one") {
  const auto page = report::page_with("<script>@RUN@</script>", json{{"name", "</script><!--"}});
  CHECK(page == R"(<script>{"name":"\u003c/script>\u003c!--"}</script>)");
}
