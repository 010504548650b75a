#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "workflow/energy/accelergy.hpp"
#include "workflow/energy/energy.hpp"

// Energy of a run by tables that are written out here, by hand.
using namespace macaw;

namespace {

energy::Table table_of(const std::string& costs, const std::filesystem::path& folder = {}) {
  auto table = energy::parse_table("description = 'd'\n" + costs, "t.toml", folder);
  if (!table) FAIL(table.error().to_string());
  return *table;
}
bool refused(const std::string& costs, const std::filesystem::path& folder = {}) {
  return !energy::parse_table("description = 'd'\n" + costs, "t.toml", folder);
}
std::string cost(const std::string& event, const std::string& low, const std::string& high) {
  return "[picojoules." + event + "]\nlow = " + low + "\nhigh = " + high + "\nsource = 's'\n";
}

/// 1000 cycles at 500 MHz of an NPU of 128 multipliers, with products of two widths and beats of both sides.
npu::RunRecord run_of(const char* accelerator = "ethos-u55-128") {
  npu::RunRecord run;
  run.accelerator = npu::find_accelerator(accelerator);
  run.clock_hz = 500e6;
  run.cycles = 1000;
  for (const auto& [bits, macs] : {std::pair{8u, 70u}, {16u, 11u}, {8u, 30u}, {32u, 5u}, {0u, 0u}}) {
    npu::OperationTiming operation;
    operation.mac_bits = bits;
    operation.macs = macs;
    run.operations.push_back(operation);
  }
  const std::string first = run.side_name(0) == "sram" ? "SRAM" : "AXI0", second = first == "SRAM" ? "EXT" : "AXI1";
  run.pmu.counts = {{"ETHOSU_PMU_" + first + "_RD_DATA_BEAT_RECEIVED", 3},
                    {"ETHOSU_PMU_" + first + "_WR_DATA_BEAT_WRITTEN", 5},
                    {"ETHOSU_PMU_" + second + "_RD_DATA_BEAT_RECEIVED", 7}};
  return run;
}

}  // namespace

TEST_CASE("events are counted by the width of products, and by beats of a side and direction") {
  for (const auto& [name, beat] : {std::pair{"ethos-u55-128", 8}, {"ethos-u65-256", 16}, {"ethos-u85-256", 16}}) {
    const auto run = run_of(name);
    const double macs = run.accelerator->macs;
    for (const auto& [event, count] : {std::pair{"mac_8bit", 100.0},
                                       {"mac_16bit", 11.0},
                                       {"mac_32bit", 5.0},
                                       {"axi0_read", 3.0 * beat},
                                       {"axi0_write", 5.0 * beat},
                                       {"axi1_read", 7.0 * beat},
                                       {"axi1_write", 0.0},
                                       {"cycle", 1000.0},
                                       {"mac_ns", 2000 * macs}}) {
      INFO(name << ' ' << event);
      REQUIRE(energy::find_event(event));
      CHECK(energy::find_event(event)->count(run) == Approx(count));
    }
  }
  CHECK(energy::events().size() == 10);
  CHECK_FALSE(energy::find_event("mac_4bit"));
}

TEST_CASE("energy is the sum of counts by their costs, from low to high, and power that over the time") {
  const auto table = table_of(cost("mac_8bit", "1", "2") + cost("axi0_write", "0", "0.5"));
  const auto energy = energy::energy_of(run_of(), table);
  REQUIRE(energy);
  REQUIRE(energy->parts.size() == 2);
  CHECK((energy->parts[0].count == 100 && energy->parts[1].count == 40));
  CHECK(energy->parts[0].joules.low == Approx(100e-12));
  CHECK(energy->parts[0].joules.high == Approx(200e-12));
  CHECK(energy->parts[1].joules.low == 0);
  CHECK(energy->parts[1].joules.high == Approx(20e-12));
  CHECK(energy->joules.low == Approx(100e-12));
  CHECK(energy->joules.high == Approx(220e-12));
  // Two microseconds.
  CHECK(energy->milliwatts.low == Approx(100e-12 / 2e-6 * 1e3));
  CHECK(energy->milliwatts.high == Approx(220e-12 / 2e-6 * 1e3));
  std::vector<std::string_view> left_out;
  for (const auto* event : energy->left_out) left_out.push_back(event->name);
  CHECK(left_out ==
        std::vector<std::string_view>{"mac_16bit", "mac_32bit", "axi0_read", "axi1_read", "cycle", "mac_ns"});

  auto still = run_of();
  still.cycles = 0;
  CHECK(energy::energy_of(still, table)->milliwatts.high == 0);
  still.operations[0].mac_bits = 0;
  CHECK_FALSE(energy::energy_of(still, table));
}

TEST_CASE("a cost is a range of two numbers from 0 on, of an event that there is") {
  CHECK_FALSE(refused(cost("cycle", "0", "0.1")));
  for (const auto& [low, high] :
       {std::pair{"1", "1"}, {"2", "1"}, {"-1", "1"}, {"'0'", "1"}, {"0", "inf"}, {"nan", "1"}, {"0", "true"}}) {
    INFO(low << " to " << high);
    CHECK(refused(cost("cycle", low, high)));
  }
  CHECK(refused(cost("cycles", "0", "1")));
  CHECK(refused("[picojoules.cycle]\nlow = 0\nhigh = 1\n"));
  CHECK(refused("[picojoules.cycle]\nlow = 0\nhigh = 1\nsource = 's'\nmore = 1\n"));
  CHECK(refused("[picojoules]\ncycle = 1\n"));
  CHECK(refused("[picojoules]\n"));
  CHECK(refused(""));
}

TEST_CASE("a figure of Accelergy's is one of so many events, give or take its error") {
  const macaw::test::TemporaryFolder folder;
  std::ofstream(folder / "macaw_ert.yaml") << "ERT:\n  tables:\n    - name: sram\n      actions:\n"
                                              "        - {name: read, energy: 12}\n        - {name: idle, energy: 0}\n";
  const auto with = [](const std::string& error, const std::string& each) {
    return "[accelergy]\nfile = 'macaw_ert.yaml'\nerror = " + error +
           "\n[picojoules.axi0_read]\naccelergy = 'sram.read'\n" + each;
  };
  const auto range = [&](const std::string& text) { return table_of(text, folder.path()).costs.at(0).picojoules; };
  CHECK(range(with("0.25", "")).low == Approx(9));
  CHECK(range(with("0.25", "")).high == Approx(15));
  CHECK(range(with("0.25", "each = 4\n")).low == Approx(2.25));
  CHECK(range(with("0.25", "each = 4\n")).high == Approx(3.75));
  for (const char* error : {"0", "1", "-0.1", "1.5"}) CHECK(refused(with(error, ""), folder.path()));
  for (const char* each : {"each = 0\n", "each = -1\n", "low = 1\n"}) CHECK(refused(with("0.5", each), folder.path()));
  auto unknown = with("0.5", "");
  unknown.replace(unknown.find("sram.read"), 9, "sram.gone");
  CHECK(refused(unknown, folder.path()));
  CHECK(refused("[picojoules.axi0_read]\naccelergy = 'sram.read'\n", folder.path()));
}

TEST_CASE("energies of Accelergy's are numbers from 0 on, in lists or maps of names") {
  const auto list = energy::parse_accelergy(
      "ERT: {tables: [{name: a, actions: [{name: x, energy: 0}, {name: y, energy: 1.5}, {name: z}]}]}", "f");
  REQUIRE(list);
  CHECK(*list == std::map<std::string, double>{{"a.x", 0}, {"a.y", 1.5}});
  const auto map = energy::parse_accelergy("ERT: {tables: {a: {x: {energy: 2}}, b: {actions: {y: {energy: 3}}}}}", "f");
  REQUIRE(map);
  CHECK(*map == std::map<std::string, double>{{"a.x", 2}, {"b.y", 3}});
  for (const char* bad : {"ERT: {tables: [{name: a, actions: [{name: x, energy: -1}]}]}",
                          "ERT: {tables: [{name: a, actions: [{name: x, energy: .inf}]}]}",
                          "ERT: {tables: [{name: a, actions: [{name: x, energy: much}]}]}", "ERT: {}", "{", "[]"})
    CHECK_FALSE(energy::parse_accelergy(bad, "f"));
}
