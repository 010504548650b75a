#include <catch2/catch.hpp>

#include <filesystem>

#include <macaw/npu/device_job.hpp>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/support/checked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workflow/golden/record.hpp"
#include "workflow/report/page_data.hpp"
#include "workflow/report/run_report.hpp"
#include "workflow/report/summary_json.hpp"
#include "workflow/run/exclusive_cycles.hpp"
#include "workflow/run/record_json.hpp"

// Report members of a run, and the valid contents of a report.
using namespace macaw;
using macaw::test::checked;
using nlohmann::json;

namespace {

npu::OperationTiming timed_operation() {
  npu::OperationTiming o;
  o.step = 1;
  o.command = 2;
  o.name = "NPU_OP_CONV";
  o.issued = 3;
  o.start = 4;
  o.end = 50;
  o.busy = {{"output_unit", 7}, {"mac", 6}};
  o.bound = "mac";
  o.blocks = {{8, 9, {{"mac", 1}}, "axi0"}};
  o.source = "source";
  o.kind = "Conv2D";
  o.shape = std::array{10, 11, 12};
  o.scheduled = npu::OperationTiming::Scheduled{13, "kind", "scheduled"};
  o.offset = 14;
  o.macs = 15;
  o.mac_bits = 16;
  o.memory = {{"ifm", 1, 17, 18, 19, false}, {"ofm", 2, 20, 21, 22, true}};
  o.chain_reads = {5, 6};
  o.chain_write = 7;
  auto& details = o.details.emplace();
  details.mode = "MAX";
  details.ifm = {2, 3, 4};
  details.ifm2 = std::array{5, 6, 7};
  details.ofm = {8, 9, 10};
  details.ifm_bits = 16;
  details.kernel = {3, 2};
  details.stride = {2, 1};
  details.dilation = {1, 2};
  details.upscale = "ZEROS";
  details.table = true;
  details.block = {11, 12, 13};
  details.ublock = {1, 2, 8};
  details.granule = 16;
  details.mac_cycles = 14;
  details.lanes = npu::LaneShares{0.5, 0.25, 0.75, 0.5, 1.5};
  details.output_cycles = 0.375;
  details.output_rule = "ao_default";
  details.output_lanes = 4;
  details.weights = npu::WeightFigures{15, 16, 6, 17};
  return o;
}

npu::RunRecord record_of_run() {
  npu::RunRecord record;
  record.network = "net";
  record.accelerator = npu::find_accelerator("ethos-u55-128");
  record.mode = npu::RunMode::kTiming;
  record.system = "s";
  record.memory_mode = "m";
  record.clock_hz = 500e6;
  record.cycles = 60;
  record.region_side = {1, 0, 1, 0, 0, 0, 0, 0};
  record.operations = {timed_operation()};
  record.error_bar = npu::ErrorBar{0.01, 0.02, 3};
  run::complete(record);
  return record;
}

/// Reads a report in which a member is another.
bool reads(const std::string& pointer, const json& value) {
  auto record = record_of_run();
  record.activity = {{1, "mac", 1000, {{2, 4000, 6000, 2000}, {3, 6000, 9500, 100}}}};
  auto text = report::to_json(record);
  if (!pointer.empty()) text[json::json_pointer(pointer)] = value;
  return run::parse_record(text.dump(), "report.json").has_value();
}

}  // namespace

TEST_CASE("every member of an operation is in its run and in the report of it") {
  const auto record = record_of_run();
  const auto read = checked(run::parse_record(report::to_json(record).dump(), "r"));
  for (const auto* run : {&record, &read}) {
    const auto& o = run->operations.at(0);
    CHECK((o.step == 1 && o.command == 2 && o.offset == 14 && o.name == "NPU_OP_CONV"));
    CHECK((o.issued == 3 && o.start == 4 && o.end == 50 && o.macs == 15 && o.mac_bits == 16));
    CHECK((o.source == "source" && o.bound == "mac" && o.kind == "Conv2D"));
    CHECK(o.shape == std::array{10, 11, 12});
    REQUIRE(o.scheduled);
    CHECK((o.scheduled->id == 13 && o.scheduled->kind == "kind" && o.scheduled->name == "scheduled"));
    CHECK(o.busy == std::vector<std::pair<std::string, std::uint64_t>>{{"mac", 6}, {"output_unit", 7}});
    REQUIRE(o.memory.size() == 2);
    CHECK((o.memory[0].purpose == "ifm" && o.memory[0].region == 1 && o.memory[0].bytes == 17));
    CHECK((o.memory[0].first == 18 && o.memory[0].last == 19 && !o.memory[0].write && o.memory[1].write));
    CHECK((o.chain_reads == std::vector<int>{5, 6} && o.chain_write == 7));
    REQUIRE(o.blocks.size() == 1);
    CHECK((o.blocks[0].start == 8 && o.blocks[0].end == 9 && o.blocks[0].bound == "axi0"));
    CHECK((run->cycles == 60 && run->region_side[0] == 1 && run->macs() == 15));
    CHECK((run->bytes(0, false) == 17 && run->bytes(1, true) == 20 && run->bytes(1, false) == 0));
    REQUIRE((o.details && o.details->lanes && o.details->weights));
    const auto& d = *o.details;
    CHECK((d.mode == "MAX" && d.ifm == std::array{2, 3, 4} && d.ifm2 == std::array{5, 6, 7} &&
           d.ofm == std::array{8, 9, 10}));
    CHECK((d.ifm_bits == 16 && d.ofm_bits == 8 && d.kernel == std::array{3, 2} && d.stride == std::array{2, 1}));
    CHECK((d.dilation == std::array{1, 2} && d.upscale == "ZEROS" && d.table && d.block == std::array{11, 12, 13}));
    CHECK((d.ublock == std::array{1, 2, 8} && d.granule == 16 && d.mac_cycles == 14 && d.output_lanes == 4));
    CHECK((d.output_cycles == 0.375 && d.output_rule == "ao_default" &&
           d.lanes->product() == 0.5 * 0.25 * 0.75 * 0.5 * 1.5));
    CHECK((d.weights->encoded == 15 && d.weights->count == 16 && d.weights->zeros == 6 && d.weights->checksum == 17));
    CHECK((o.exclusive.working == 46 && o.exclusive.waiting == 14));
  }
}

TEST_CASE("operations have intervals where the run was measured so, with its timing adapter") {
  for (const bool adapter : {true, false})
    for (const bool measured : {true, false}) {
      auto record = record_of_run();
      record.accelerator =
          npu::find_accelerator("ethos-u85-256");  // whose layers were measured one by one, from 5000 cycles on
      record.cycles = record.operations[0].end = 6000;
      run::complete(record);
      record.timing_adapter = adapter;
      if (!measured) record.error_bar.reset();
      const auto operation = report::to_json(record)["operations"][0];
      CHECK(operation["exclusive"] == 6000);
      CHECK(operation.contains("cycles_interval") == (adapter && measured));
    }
}

TEST_CASE("what another run would take is told as what it saves") {
  auto record = record_of_run();
  record.advice = {{"compute", "faster", "macaw sim x", 45}};
  const auto written = report::to_json(record)["advice"];
  CHECK(
      written ==
      json::parse(R"([{"kind": "compute", "change": "faster", "command": "macaw sim x", "cycles": 45, "gain": 15}])"));
  CHECK_THAT(report::to_text(record, {}), Catch::Contains("faster: saves 15 cycles (25.0 %)\n    macaw sim x"));
  auto run = record;
  run.advice->push_back({"memory", "slower", "macaw sim y", 75});
  const auto page = report::page_data(run, report::summarise(run))["advice"];
  CHECK((page[0]["gain"] == 15 && page[0]["share"] == Approx(0.25) && page[0]["command"] == "macaw sim x"));
  CHECK((page[1]["gain"] == -15 && page[1]["share"] == Approx(-0.25)));
  run.cycles = 0;
  run.operations.clear();
  CHECK(report::page_data(run, report::summarise(run))["advice"][0]["share"] == 0);
  record.advice->clear();
  CHECK_THAT(report::to_text(record, {}), Catch::Contains("memory cannot help"));
}

TEST_CASE("an operator of the CPU is told with the elements of the results that lie anywhere") {
  npu::Artifact artifact;
  npu::HostOperator host;
  host.index = 9;
  host.name = "SOFTMAX";
  host.outputs = {{.name = "a", .shape = {2, 3}, .dtype = {}, .memory = 0},
                  {.name = "absent", .shape = {50}, .dtype = {}},
                  {.name = "b", .shape = {4}, .dtype = {}, .memory = 1}};
  artifact.steps = {npu::CommandStream{}, host};
  auto record = record_of_run();
  record.host_operators = npu::host_steps(artifact);
  CHECK(report::to_json(record)["host_operators"] ==
        json::parse(R"([{"step": 1, "operator": 9, "name": "SOFTMAX", "elements": 10, "inputs": [], "macs": 0,
                         "outputs": [{"name": "a", "shape": [2, 3], "dtype": null},
                                     {"name": "b", "shape": [4], "dtype": null}]}])"));
  CHECK_THAT(report::to_text(record, artifact), Catch::Contains("SOFTMAX (operator 9), 10 elements"));
}

TEST_CASE("a layer's bytes on the page are read or written, each on its side") {
  const auto run = record_of_run();
  const auto page = report::page_data(run, report::summarise(run));
  CHECK(page["layers"][0]["read"] == json{17, 0});
  CHECK(page["layers"][0]["written"] == json{0, 20});
  CHECK(page["operations"]["bytes"] == json{{17}, {20}});
  const auto summary = report::summary_json(run, report::summarise(run));
  // Region 1 is on AXI0, region 2 on AXI1, and no other is used.
  CHECK(summary["memory"]["axi0"]["regions"] == json{{"1", 20}});
  CHECK(summary["memory"]["axi1"]["regions"] == json{{"2", 23}});
}

TEST_CASE("an operation without length holds what is waited for it, and no cycle after") {
  const auto held = run::exclusive_cycles(std::vector<run::Interval>{{5, 5, false}, {10, 20, false}}, 22);
  CHECK((held[0].waiting == 5 && held[0].working == 0));
  CHECK((held[1].waiting == 7 && held[1].working == 10));
  CHECK(run::exclusive_cycles(std::vector<run::Interval>{}, 22).empty());
}

TEST_CASE("numbers of a report are refused from the first that cannot be") {
  REQUIRE(reads("", {}));
  struct Edge {
    const char* pointer;
    json allowed, refused;
  };
  const std::uint64_t most = (std::uint64_t{1} << 53) - 1;
  for (const auto& [pointer, allowed, refused] :
       {Edge{"/activity/0/busy/0", 2, 2.001}, Edge{"/activity/0/end/0", 6, 3.999},
        Edge{"/activity/0/start/1", 6, 5.999}, Edge{"/activity/0/start/0", 3.5, -1}, Edge{"/operations/0/end", 4, 3},
        Edge{"/operations/0/memory/0/region", 7, 8}, Edge{"/operations/0/chain_write", 7, 8},
        Edge{"/operations/0/shape/0", 1 << 24, (1 << 24) + 1}, Edge{"/operations/0/blocks/0/end", 8, 7},
        Edge{"/region_side/0", 1, 2}, Edge{"/clock_hz", 0.5, 0}, Edge{"/cycles", most, most + 1},
        Edge{"/operations/0/macs", 0, -1}, Edge{"/schema_version", 1, 2}, Edge{"/bytes_per_cycle/0", 0.5, "x"},
        Edge{"/accelerator", "ethos-u85-256", "ethos-u85"}}) {
    INFO(pointer);
    CHECK(reads(pointer, allowed));
    CHECK_FALSE(reads(pointer, refused));
  }
  CHECK_FALSE(reads("/unknown", 1));
  CHECK_FALSE(reads("/operations/0/unknown", 1));
  CHECK_FALSE(reads("/activity/0/start", json{4}));
}

TEST_CASE("a device's job is reported with a timing adapter unless its system is ideal") {
  const macaw::test::TemporaryFolder temporary;
  const auto folder = temporary / "job7";
  for (const char* system : {"ideal", "corstone-300-u55"}) {
    npu::TimedResult job;
    job.system = system;
    job.clock_hz = 1e9;
    job.cycles = 60;
    job.operations = {timed_operation()};
    REQUIRE(npu::write_job_report(job, "ethos-u55-128", folder));
    const auto bytes = checked(io::read_file(folder / "report.json"));
    const auto written = json::parse(reinterpret_cast<const char*>(bytes.data()),
                                     reinterpret_cast<const char*>(bytes.data() + bytes.size()));
    CHECK(written["timing_adapter"] == (std::string(system) == "ideal" ? "off" : "on"));
    CHECK((written["network"] == "job7" && written["cycles"] == 60 && written["system"] == system));
    CHECK(std::filesystem::file_size(folder / "report.html") > 1000);
  }
}

TEST_CASE("a network is recorded once on each of its systems and memory modes") {
  golden::Network network;
  network.name = "net";
  network.artifact = "tiny_cnn.npz";
  const std::filesystem::path folder = "traces/tiny_cnn/ethos-u55-128";
  CHECK(checked(golden::record(network, folder)).size() == 1);
  network.systems = {"ideal", "corstone-300-u55"};
  const auto both = checked(golden::record(network, folder));
  CHECK(both.size() == 2);
  for (const auto& [name, run] : both.items()) CHECK(name.starts_with("net | ethos-u55-128 | "));
  network.systems = {"ideal", "ideal"};
  CHECK(golden::record(network, folder).error().code == ErrorCode::kInvalidFile);
  network.systems = {};
  network.accelerators = {"ethos-u55-100"};
  CHECK(golden::record(network, folder).error().code == ErrorCode::kUsage);
}
